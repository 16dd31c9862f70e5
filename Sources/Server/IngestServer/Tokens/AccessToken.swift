import Base
import Contract
import JSON
import Store
import TLS

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
    try token.times.check(at: now, leewayMilliseconds: clockSkewAllowedMilliseconds)
  }

  /// Whether we have made this token, however old it is.
  func verify(_ text: [UInt8]) throws(AccessTokenError) -> AccessToken { try verify(SignedToken(parsing: text)) }

  func verify(_ token: SignedToken) throws(AccessTokenError) -> AccessToken {
    guard token.algorithm == Self.algorithm else { throw .wrongAlgorithm }
    guard token.keyName == keyName else { throw .unknownKey }
    guard Cryptography.areEqual(token.signature, Cryptography.hmacSHA256(key: key, token.signed)) else {
      throw .wrongSignature
    }
    guard let token = AccessToken(try token.claims()) else { throw .malformed }
    return token
  }

  static let algorithm = "HS256"

  private func header() -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    writer.member("alg", Self.algorithm)
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
}

extension AccessToken {
  /// Nil when something is missing, or is of another kind.
  init?(_ claims: JSONValue) {
    guard case .string(let scopeName)? = claims["scope"], let scope = Scope(rawValue: scopeName),
      case .string(let subject)? = claims["sub"], case .integer(let family)? = claims["family"],
      let times = TokenTimes(claims), let issuedAt = times.issuedAt
    else { return nil }
    self.init(
      scope: scope, subject: subject, family: family, issuedAt: issuedAt, expiresAt: times.expiresAt,
      notBefore: times.notBefore)
  }

  var times: TokenTimes { TokenTimes(issuedAt: issuedAt, notBefore: notBefore, expiresAt: expiresAt) }
}

/// What the token of an upload says for it.
struct ShownToken {
  /// The device that the token speaks for; nil: that is left to the request.
  let device: String?
  /// What the store has to look at; nil for the tokens of foreign issuers, of which it knows nothing.
  let credential: TokenCredential?
}

/// Why an upload does not go on, or not yet.
enum TokenProblem: Error {
  case refused(Response)
  /// Another server may have made the key: it has to be looked for.
  case keyNotSeen(look: @Sendable () -> Void)
}

/// Checks the tokens of uploads.
struct Authenticator: Sendable {
  let mode: ServerConfiguration.Authentication
  let codec: AccessTokenCodec
  let issuer: IdentityIssuer?
  let foreign: ForeignIssuer?
  let leewayMilliseconds: Int64

  /// The token of an upload, its signature and expiry checked; whether it was revoked only the store knows, which looks in
  /// the transaction that stores the records. Nil when none is needed and none is shown.
  ///
  /// Where no token is asked for, one that is signed names the device, however old it is: the device is not told
  /// to refresh it, and must not change its name when it expires. Any other is ignored.
  func authenticate(_ exchange: Exchange) throws(TokenProblem) -> ShownToken? {
    guard let bearer = exchange.bearer else {
      if mode != .required { return nil }
      throw .refused(.unauthorized("token_required", "an access token is required"))
    }
    if mode != .off, bearer.elementsEqual(TransistorToken.dummyAccessToken.utf8) { throw .refused(.neverRegistered) }
    var device: String?
    do throws(AccessTokenError) {
      let (shown, times) = try verify(bearer)
      device = shown.device
      if mode != .off { try times.check(at: exchange.receivedAt, leewayMilliseconds: leewayMilliseconds) }
      return shown
    } catch {
      if case .keyNotSeen(let name) = error {
        if let issuer, !exchange.hasLookedForKey { throw .keyNotSeen(look: issuer.ring.looking(for: name)) }
      } else if mode == .off {
        return nil
      }
      // A token that is only too old still names its device.
      throw .refused(Response.notAccepted(error).to(exchange.identity(device)))
    }
  }

  /// The algorithm tells only whose token it can be; each issuer compares it with that of its own key.
  private func verify(_ bearer: [UInt8]) throws(AccessTokenError) -> (ShownToken, TokenTimes) {
    let token = try SignedToken(parsing: bearer)
    if let issuer, token.algorithm != AccessTokenCodec.algorithm, let accepted = try issuer.verify(token) {
      return (shown(accepted.device, accepted.family, accepted.issuedAt), accepted.times)
    }
    if let foreign, token.algorithm != AccessTokenCodec.algorithm {
      let accepted = try foreign.verify(token)
      return (ShownToken(device: accepted.device, credential: nil), accepted.times)
    }
    let own = try codec.verify(token)
    guard own.scope == .device else { throw .malformed }
    return (shown(own.subject, own.family, own.issuedAt), own.times)
  }

  private func shown(_ device: String, _ family: Int64, _ issuedAt: WallInstant) -> ShownToken {
    ShownToken(
      device: device, credential: TokenCredential(family: family, issuedAt: issuedAt, isBinding: mode != .off))
  }
}

extension Response {
  /// What an app shows whose registration failed. The status is the demo server's; it makes no client refresh
  /// (SDK §21).
  static let neverRegistered = Response.error(406, "dummy_token", "this app has not registered; its token is a dummy")

  /// A token may be as good as any while its key is not known: 401 would make a device refresh it (SDK §11.2).
  static func notAccepted(_ error: AccessTokenError) -> Response {
    switch error {
    case .keysUnavailable, .keyNotSeen:
      .error(503, "keys_unavailable", "the access token cannot be checked yet: \(error.reason); try again")
        .with(HeaderName.retryAfter, "1")
    default: .unauthorized("token_\(error)", "the access token is not accepted: \(error.reason)", error.reason)
    }
  }
}
