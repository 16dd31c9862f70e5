import Upload

/// An error of the SDK without a type of its own: the SDK's domain "BGGeo", with its code and a message.
public struct BGGeoError: Error, Hashable, Sendable {
  /// -1 unless a method documents another one.
  public let code: Int
  /// The message for the user.
  public let message: String

  /// The code of failures that have none of their own.
  public static let unspecified = -1

  init(_ message: String, code: Int = BGGeoError.unspecified) {
    self.code = code
    self.message = message
  }
}

extension BGGeoError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// The reason why `DataStore.sync` failed.
public enum HttpError: Int, Error, CaseIterable, Sendable {
  /// `http.url` cannot be used for uploads.
  case invalidUrl = 1
  /// No network, or no response.
  case networkConnection = 2
  /// Another upload is running and includes the records.
  case syncInProgress = 3
  /// A response without success; the records wait for the next trigger.
  case response = 4
  /// Redirects are not followed.
  case redirect = 5

  init?(_ error: SyncError) { self.init(rawValue: error.rawValue) }
}

/// The reason why there is no position.
public struct LocationError: Error, Hashable, Sendable {
  /// 0 unknown, 1 permission denied, 2 network, 3 background tracking with the permission "when in use" only, 400 an
  /// invalid request, 408 timeout, 499 cancelled.
  public let code: Int
  /// The message for the user.
  public let message: String

  init(code: Int, message: String) {
    self.code = code
    self.message = message
  }

  /// Returns the error for an invalid request.
  static func badRequest(_ message: String) -> LocationError { LocationError(code: 400, message: message) }
  static let timeout = LocationError(code: 408, message: "timeout")
  /// The task was cancelled, or the instance closed.
  static let cancelled = LocationError(code: 499, message: "cancelled")
}

extension LocationError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
