import Base
import Contract
import JSON
import Store

/// The claims of an access token. `scope` tells a device's token from an administrator's, so that neither passes for the other.
struct AccessToken: Equatable {
  enum Scope: String {
    case device, admin
  }

  let scope: Scope
  /// The device that the token speaks for; of an admin token, a name for the log.
  let subject: String
  /// The refresh tokens that descend from one registration; revoking the family ends all its access tokens.
  let family: Int64
  let issuedAt: WallInstant
  let expiresAt: WallInstant
  /// Another holder of the key may say that a token begins later than it was made (RFC 7519 §4.1.5); this server does not.
  var notBefore: WallInstant?
}

/// Why a token is not accepted. All but the times and the type mean that this server did not make it.
enum AccessTokenError: Error, Equatable {
  case malformed, wrongAlgorithm, unknownKey, wrongSignature, wrongType, expired, notYetValid
}

/// JSON Web Tokens (RFC 7519) with one algorithm, HS256, which is pinned: the header's `alg` is compared, never followed
/// (RFC 8725 §3.1). Times in a token are seconds with milliseconds
/// (RFC 7519 §2 allows fractions): tokens issued before and after an expiry in the same second have to be told apart.
struct AccessTokenCodec: Sendable {
  /// 256 random bits, made at the server's first start.
  private let key: [UInt8]
  /// Names the key in the header, so that a token of another server is distinguished from a forged one.
  private let keyName: String
  /// How far the clocks of two servers that share the key may differ.
  private let clockSkewAllowedMilliseconds: Int64

  init(key: [UInt8], clockSkewAllowedMilliseconds: Int64) {
    precondition(key.count >= 32, "RFC 7518 §3.2 asks for a key as long as the hash")
    self.key = key
    self.clockSkewAllowedMilliseconds = clockSkewAllowedMilliseconds
    var name: [UInt8] = []
    Base64URL.append(Array(Cryptography.sha256(key).prefix(6)), to: &name)
    keyName = String(decoding: name, as: UTF8.self)
  }

  func encode(_ token: AccessToken) -> String {
    var text: [UInt8] = []
    Base64URL.append(header(), to: &text)
    text.append(UInt8(ascii: "."))
    Base64URL.append(payload(of: token), to: &text)
    let signature = Cryptography.hmacSHA256(key: key, text[...])
    text.append(UInt8(ascii: "."))
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Everything about the token but its revocation, which the store knows.
  func decode(_ text: [UInt8], now: WallInstant) throws(AccessTokenError) -> AccessToken {
    let token = try verify(text)
    try checkTimes(of: token, now: now)
    return token
  }

  func checkTimes(of token: AccessToken, now: WallInstant) throws(AccessTokenError) {
    if now.milliseconds(since: token.expiresAt) >= clockSkewAllowedMilliseconds { throw .expired }
    let beginning = max(token.issuedAt, token.notBefore ?? token.issuedAt)
    if beginning.milliseconds(since: now) > clockSkewAllowedMilliseconds { throw .notYetValid }
  }

  /// Whether we have made this token, however old it is.
  func verify(_ text: [UInt8]) throws(AccessTokenError) -> AccessToken {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, text.count <= AccessTokenCodec.bytesMax, let header = object(parts[0]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    guard header["alg"] == .string("HS256") else { throw .wrongAlgorithm }
    // RFC 7515 §4.1.11: what is marked critical must be understood, and nothing is.
    guard header["crit"] == nil else { throw .malformed }
    guard header["kid"] == .string(keyName) else { throw .unknownKey }
    let signed = text[..<(text.count - parts[2].count - 1)]
    guard Cryptography.areEqual(signature, Cryptography.hmacSHA256(key: key, signed)) else { throw .wrongSignature }

    guard let payload = object(parts[1]) else { throw .malformed }
    guard isAccess(header["typ"], among: ["jwt", "at+jwt"]),
      Self.typeClaims.allSatisfy({ isAccess(payload[$0], among: ["access", "bearer"]) })
    else { throw .wrongType }
    guard let token = token(payload) else { throw .malformed }
    return token
  }

  private static let bytesMax = 4_096
  /// Where issuers say what a token is for, beside the header's `typ` (RFC 8725 §3.11: explicit typing).
  private static let typeClaims = ["typ", "type", "token_type", "token_use"]

  /// A token that says what it is has to be an access token: nothing else signed with the key passes for one.
  private func isAccess(_ type: JSONValue?, among names: [String]) -> Bool {
    switch type {
    case nil: true
    case .string(let name)?: names.contains(name.lowercased())
    default: false
    }
  }

  private func header() -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    writer.member("alg", "HS256")
    writer.member("typ", "JWT")
    writer.member("kid", keyName)
    writer.endObject()
    return writer.bytes
  }

  private func payload(of token: AccessToken) -> [UInt8] {
    var writer = JSONWriter(capacity: 192)
    writer.beginObject()
    writer.member("scope", token.scope.rawValue)
    writer.member("sub", token.subject)
    writer.member("family", token.family)
    writer.member("iat", Double(token.issuedAt.millisecondsSince1970) / 1_000)
    writer.member("exp", Double(token.expiresAt.millisecondsSince1970) / 1_000)
    writer.endObject()
    return writer.bytes
  }

  private func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
    guard let bytes = Base64URL.decode(part) else { return nil }
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes.span)
      guard case .object = value else { return nil }
      return value
    } catch {
      return nil
    }
  }

  private func token(_ payload: JSONValue) -> AccessToken? {
    guard case .string(let scopeName)? = payload["scope"], let scope = AccessToken.Scope(rawValue: scopeName),
      case .string(let subject)? = payload["sub"],
      case .integer(let family)? = payload["family"],
      let issuedAt = instant(payload["iat"]), let expiresAt = instant(payload["exp"])
    else { return nil }
    var token = AccessToken(scope: scope, subject: subject, family: family, issuedAt: issuedAt, expiresAt: expiresAt)
    if let beginning = payload["nbf"] {
      guard let notBefore = instant(beginning) else { return nil }
      token.notBefore = notBefore
    }
    return token
  }

  /// Only a holder of the key can have written these numbers; a mistake of theirs is still no reason to trap.
  private func instant(_ value: JSONValue?) -> WallInstant? {
    let seconds: Double
    switch value {
    case .integer(let number): seconds = Double(number)
    case .double(let number): seconds = number
    default: return nil
    }
    // Far from where a double would have no milliseconds left.
    guard seconds.magnitude < 1e12 else { return nil }
    return WallInstant(exactly: Int64((seconds * 1_000).rounded()))
  }
}

/// Checks the tokens of uploads.
struct Authenticator: Sendable {
  let mode: ServerConfiguration.Authentication
  let codec: AccessTokenCodec

  /// The token of an upload, its signature and expiry checked; whether it was revoked only the store knows, which looks in
  /// the transaction that stores the records. Nil when none is needed and none is shown.
  func authenticate(_ exchange: Exchange) throws(ResponseError) -> AccessToken? {
    if mode == .off { return exchange.bearer.flatMap { signedToken($0) } }
    guard let bearer = exchange.bearer else {
      if mode == .optional { return nil }
      throw ResponseError(.unauthorized("token_required", "an access token is required"))
    }
    if bearer.elementsEqual(TransistorToken.dummyAccessToken.utf8) { throw ResponseError(.neverRegistered) }
    var token: AccessToken?
    do throws(AccessTokenError) {
      let signed = try codec.verify(bearer)
      guard signed.scope == .device else { throw AccessTokenError.malformed }
      token = signed
      try codec.checkTimes(of: signed, now: exchange.receivedAt)
      return signed
    } catch {
      // A token that is only too old still names its device.
      let response = Response.unauthorized("token_\(error)", "the access token is not accepted")
      throw ResponseError(response.to(exchange.identity(token?.subject)))
    }
  }

  /// Where no token is asked for, one that this server has made names the device, however old it is: the device is not told
  /// to refresh it, and must not change its name when it expires. Any other is ignored.
  private func signedToken(_ bearer: [UInt8]) -> AccessToken? {
    do throws(AccessTokenError) {
      let token = try codec.verify(bearer)
      return token.scope == .device ? token : nil
    } catch {
      return nil
    }
  }
}

extension Response {
  /// What an app shows whose registration failed. The status is the demo server's; it makes no client refresh
  /// (SDK §21).
  static let neverRegistered = Response.error(406, "dummy_token", "this app has not registered; its token is a dummy")
}
