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
