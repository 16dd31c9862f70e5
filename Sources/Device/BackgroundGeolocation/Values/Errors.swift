import Upload

/// What an SDK method throws that has no code of its own: the domain "BGGeo" of the SDK, with its code and a text.
public struct BGGeoError: Error, Hashable, Sendable {
  /// -1 unless a method documents another one.
  public let code: Int
  /// For people.
  public let message: String

  /// The code of failures that have none.
  public static let unspecified = -1

  init(_ message: String, code: Int = BGGeoError.unspecified) {
    self.code = code
    self.message = message
  }
}

extension BGGeoError: CustomStringConvertible {
  /// The text.
  public var description: String { message }
}

/// Why `DataStore.sync` failed.
public enum HttpError: Int, Error, CaseIterable, Sendable {
  /// `http.url` is nothing to upload to.
  case invalidUrl = 1
  /// No network, or no answer.
  case networkConnection = 2
  /// An upload was running; it takes the records along.
  case syncInProgress = 3
  /// An answer that is no success; the records wait for the next trigger.
  case response = 4
  /// Redirects are not followed.
  case redirect = 5

  init?(_ error: SyncError) { self.init(rawValue: error.rawValue) }
}

/// Why there is no position.
public struct LocationError: Error, Hashable, Sendable {
  /// 0 unknown, 1 permission denied, 2 network, 3 background tracking with the permission "when in use" only, 400 a
  /// request that makes no sense, 408 timeout, 499 cancelled.
  public let code: Int
  /// For people.
  public let message: String

  init(code: Int, message: String) {
    self.code = code
    self.message = message
  }

  /// The request makes no sense.
  static func badRequest(_ message: String) -> LocationError { LocationError(code: 400, message: message) }
  static let timeout = LocationError(code: 408, message: "timeout")
  /// The task was cancelled, or the instance closed.
  static let cancelled = LocationError(code: 499, message: "cancelled")
}

extension LocationError: CustomStringConvertible {
  /// Code and text.
  public var description: String { "\(code): \(message)" }
}
