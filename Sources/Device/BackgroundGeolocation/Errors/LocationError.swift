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
