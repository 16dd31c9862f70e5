import Base
import JSON

/// The purpose of a token by its claims, if that is not access (RFC 8725 §3.11). The signature is not verified.
enum TokenKind: String {
  case identity = "an identity token"
  case refresh = "a refresh token"

  /// Nil for an access token, and for one that is opaque or does not name its purpose.
  init?(of token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = TokenKind.object(parts[1]) else { return nil }
    // Keycloak uses `typ`, Cognito `token_use`.
    for name in ["typ", "token_use", "token_type"] {
      guard case .string(let word)? = claims[name] else { continue }
      switch word.lowercased() {
      case "id": self = .identity
      case "refresh", "offline": self = .refresh
      default: return nil
      }
      return
    }
    // Only ID tokens have these (OpenID Connect Core §3.1.3.6 and §3.3.2.11).
    guard ["at_hash", "c_hash", "nonce"].contains(where: { claims[$0] != nil }) else { return nil }
    self = .identity
  }

  /// Decodes base64url without padding (RFC 7515 §2).
  private static func object(_ part: Substring) -> JSONValue? {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    guard let bytes = Base64.bytes(text + String(repeating: "=", count: (4 - text.count % 4) % 4)) else { return nil }
    do throws(JSONError) { return try JSONValue(parsing: bytes.span, reading: .lenient) } catch { return nil }
  }
}
