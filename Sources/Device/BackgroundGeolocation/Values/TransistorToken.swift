import Contract

/// The tokens of a device that has registered with the demo server of the SDK's vendor, or with one that speaks like
/// it.
public struct TransistorToken: Hashable, Sendable {
  /// Goes with every upload.
  public let accessToken: String
  /// Buys the next pair of tokens.
  public let refreshToken: String
  /// As the server gave it; -1 for a token without end.
  public let expires: Int
  /// Where records go.
  public let apiUrl: String
  /// Where new tokens come from.
  public let refreshUrl: String

  /// Tokens that the app got elsewhere. The two urls follow from that of the server.
  public init(
    accessToken: String, refreshToken: String, expires: Int = -1, url: String = "https://tracker.transistorsoft.com"
  ) {
    self.init(
      Contract.TransistorToken(
        accessToken: accessToken, refreshToken: refreshToken, expires: Double(expires), url: url))
  }

  init(_ token: Contract.TransistorToken) {
    accessToken = token.accessToken
    refreshToken = token.refreshToken
    expires = Int(exactly: token.expires.rounded()) ?? -1
    apiUrl = token.apiURL
    refreshUrl = token.refreshURL
  }

  var contract: Contract.TransistorToken {
    var token = Contract.TransistorToken(
      accessToken: accessToken, refreshToken: refreshToken, expires: Double(expires))
    token.apiURL = apiUrl
    token.refreshURL = refreshUrl
    return token
  }

  /// The members by their names.
  public func toDictionary() -> [String: Any] {
    [
      "accessToken": accessToken, "refreshToken": refreshToken, "expires": expires, "apiUrl": apiUrl,
      "refreshUrl": refreshUrl,
    ]
  }
}
