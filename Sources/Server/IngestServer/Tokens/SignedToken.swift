import Base
package import JSON

/// Why a token is not accepted.
package enum AccessTokenError: Error, Equatable {
  case malformed, wrongAlgorithm, unknownKey, wrongSignature, wrongType, noExpiry, expired, notYetValid
  /// For tokens of a foreign issuer.
  case weakKey, wrongIssuer, wrongAudience, noDevice
  /// The issuer's keys are being fetched: whether the token is valid is not known yet.
  case keysUnavailable
  /// For this issuer: a server that shares its keys may have made the one of this name, which was not looked up yet.
  case keyNotSeen(String)

  /// The reason, for the client's developer.
  var reason: String {
    switch self {
    case .malformed: "it is not a valid JSON Web Token (RFC 7519)"
    case .wrongAlgorithm: "its algorithm (alg) is not the one of its key"
    case .unknownKey: "its key (kid) is unknown"
    case .wrongSignature: "the signature is wrong"
    case .wrongType: "it is not an access token (typ, token_use)"
    case .noExpiry: "it has no exp; its issuer has to write the time of its expiry into it"
    case .expired: "it has expired (exp)"
    case .notYetValid: "it is not valid yet (nbf, iat)"
    case .weakKey: "its key has fewer than 2048 bits"
    case .wrongIssuer: "it comes from another issuer (iss)"
    case .wrongAudience: "it is for another audience (aud, client_id)"
    case .noDevice: "it does not name a device"
    case .keysUnavailable: "the keys of its issuer are being fetched"
    case .keyNotSeen: "its key (kid) is unknown, and the shared keys cannot be read"
    }
  }
}

/// A parsed but unverified JSON Web Token in compact form (RFC 7515 §7.1). The header only names the key to verify with: keys
/// that it contains or refers to (`jwk`, `jku`, `x5c`, `x5u`) are ignored (RFC 8725 §3.10).
package struct SignedToken {
  /// The algorithm that the token names; compared by its readers, never followed (RFC 8725 §3.1).
  package let algorithm: String
  package let keyName: String?
  package let signature: [UInt8]
  package let signed: ArraySlice<UInt8>
  private let type: JSONValue?
  private let payload: ArraySlice<UInt8>

  /// Tokens with the roles of a large organization have a few thousand bytes.
  static let bytesMax = 8_192
  /// Claims in which issuers state the type of a token, beside the header's `typ` (RFC 8725 §3.11: explicit typing).
  private static let typeClaims = ["typ", "type", "token_type", "token_use"]

  package init(parsing text: [UInt8]) throws(AccessTokenError) {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, text.count <= Self.bytesMax, let header = Self.object(parts[0]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    // RFC 7515 §4.1.11: critical extensions must be understood, and none is.
    guard header["crit"] == nil else { throw .malformed }
    switch header["kid"] {
    case nil: keyName = nil
    case .string(let name)? where name.utf8.count <= JSONWebKeySet.nameBytesMax: keyName = name
    default: throw .malformed
    }
    if case .string(let name)? = header["alg"] { algorithm = name } else { algorithm = "" }
    type = header["typ"]
    payload = parts[1]
    signed = text[..<(text.count - parts[2].count - 1)]
    self.signature = signature
  }

  /// Returns the claims; call it after the signature was verified. Throws unless it is an access token.
  package func claims() throws(AccessTokenError) -> JSONValue {
    guard let claims = Self.object(payload) else { throw .malformed }
    guard isAccess(type, among: ["jwt", "at+jwt", "application/at+jwt"]),
      Self.typeClaims.allSatisfy({ isAccess(claims[$0], among: ["access", "bearer"]) })
    else { throw .wrongType }
    return claims
  }

  /// A token with an explicit type must be an access token: nothing else signed with the key is accepted as one.
  private func isAccess(_ type: JSONValue?, among names: [String]) -> Bool {
    switch type {
    case nil: true
    case .string(let name)?: names.contains(name.lowercased())
    default: false
    }
  }

  private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
    guard let bytes = Base64URL.decode(part) else { return nil }
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes.span)
      guard case .object = value else { return nil }
      return value
    } catch {
      return nil
    }
  }
}

/// The validity period of a token (RFC 7519 §4.1.4 to §4.1.6).
struct TokenTimes: Equatable {
  let issuedAt: WallInstant?
  let notBefore: WallInstant?
  let expiresAt: WallInstant

  init(issuedAt: WallInstant?, notBefore: WallInstant?, expiresAt: WallInstant) {
    (self.issuedAt, self.notBefore, self.expiresAt) = (issuedAt, notBefore, expiresAt)
  }

  init(_ claims: JSONValue) throws(AccessTokenError) {
    guard let expiry = claims["exp"] else { throw .noExpiry }
    guard let expiresAt = Self.instant(expiry) else { throw .malformed }
    let (issuedAt, notBefore) = (Self.instant(claims["iat"]), Self.instant(claims["nbf"]))
    guard (claims["iat"] == nil) == (issuedAt == nil), (claims["nbf"] == nil) == (notBefore == nil) else {
      throw .malformed
    }
    self.init(issuedAt: issuedAt, notBefore: notBefore, expiresAt: expiresAt)
  }

  /// The clocks of issuer and server may differ by the leeway.
  func check(at now: WallInstant, leewayMilliseconds leeway: Int64) throws(AccessTokenError) {
    if now.milliseconds(since: expiresAt) >= leeway { throw .expired }
    for beginning in [issuedAt, notBefore] {
      if let beginning, beginning.milliseconds(since: now) > leeway { throw .notYetValid }
    }
  }

  /// Only a holder of the key can have written these numbers, but even their mistakes must not trap.
  private static func instant(_ value: JSONValue?) -> WallInstant? {
    let seconds: Double
    switch value {
    case .integer(let number): seconds = Double(number)
    case .double(let number): seconds = number
    default: return nil
    }
    // Far below the size at which a double loses its milliseconds.
    guard seconds.magnitude < 1e12 else { return nil }
    return WallInstant(exactly: Int64((seconds * 1_000).rounded()))
  }
}
