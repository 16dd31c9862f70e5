import Contract
import JSON

extension Configuration {
  /// The state of the configuration as a log may show it: of tokens five characters (SDK §20.2).
  var redacted: JSONValue {
    var copy = self
    copy.authorization.accessToken = authorization.accessToken.map(Self.cut)
    copy.authorization.refreshToken = authorization.refreshToken.map(Self.cut)
    return .object(copy.stateDictionary)
  }

  private static func cut(_ token: String) -> String { "\(token.prefix(5))<redacted>" }
}
