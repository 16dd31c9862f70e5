import Base
import Contract
import JSON
import Store
import TLS

/// The claims of an access token. `scope` distinguishes a device's token from an administrator's, so that neither is accepted
/// as the other.
struct AccessToken: Equatable {
  enum Scope: String {
    case device, admin
  }

  let scope: Scope
  /// The device that the token identifies; for an admin token, a name for the log.
  let subject: String
  /// The family of refresh tokens that descend from one registration; revoking it ends all its access tokens.
  let family: Int64
  let issuedAt: WallInstant
  let expiresAt: WallInstant
  /// Another holder of the key may issue tokens that become valid later (RFC 7519 §4.1.5); this server does not.
  var notBefore: WallInstant?
}

/// JSON Web Tokens (RFC 7519) with one algorithm, HS256, which is pinned: the header's `alg` is compared, never followed (RFC
/// 8725 §3.1). Times in a token are seconds with milliseconds (RFC 7519 §2 allows fractions): tokens issued before and after an
/// expiry in the same second must be distinguishable.
struct AccessTokenCodec: Sendable {
  /// 256 random bits, generated at the server's first start.
  private let key: [UInt8]
  /// The name of the key in the header, which distinguishes a token of another server from a forged one.
  private let keyName: String
  /// The tolerated difference between the clocks of two servers that share the key.
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

  /// Verifies everything but revocation, which the store checks.
  func decode(_ text: [UInt8], now: WallInstant) throws(AccessTokenError) -> AccessToken {
    let token = try verify(text)
    try checkTimes(of: token, now: now)
    return token
  }

  func checkTimes(of token: AccessToken, now: WallInstant) throws(AccessTokenError) {
    try token.times.check(at: now, leewayMilliseconds: clockSkewAllowedMilliseconds)
  }

  /// Verifies that this server has issued the token, regardless of its age.
  func verify(_ text: [UInt8]) throws(AccessTokenError) -> AccessToken { try verify(SignedToken(parsing: text)) }

  func verify(_ token: SignedToken) throws(AccessTokenError) -> AccessToken {
    guard token.algorithm == Self.algorithm else { throw .wrongAlgorithm }
    guard token.keyName == keyName else { throw .unknownKey }
    guard Cryptography.areEqual(token.signature, Cryptography.hmacSHA256(key: key, token.signed)) else {
      throw .wrongSignature
    }
    return try AccessToken(token.claims())
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
  /// Throws when a claim is missing, or of the wrong type.
  init(_ claims: JSONValue) throws(AccessTokenError) {
    guard case .string(let scopeName)? = claims["scope"], let scope = Scope(rawValue: scopeName),
      case .string(let subject)? = claims["sub"], case .integer(let family)? = claims["family"]
    else { throw .malformed }
    let times = try TokenTimes(claims)
    guard let issuedAt = times.issuedAt else { throw .malformed }
    self.init(
      scope: scope, subject: subject, family: family, issuedAt: issuedAt, expiresAt: times.expiresAt,
      notBefore: times.notBefore)
  }

  var times: TokenTimes { TokenTimes(issuedAt: issuedAt, notBefore: notBefore, expiresAt: expiresAt) }
}

/// The information in the token of an upload.
struct ShownToken {
  /// The device that the token identifies; nil when the request names it.
  let device: String?
  /// The credential that the store must check; nil for tokens of foreign issuers, which it does not know.
  let credential: TokenCredential?
}

/// Why an upload cannot continue, or not yet.
enum TokenProblem: Error {
  case refused(Response)
  /// Another server may have made the key: it must be looked up.
  case keyNotSeen(look: @Sendable () -> Void)
}

/// Verifies the tokens of uploads.
struct Authenticator: Sendable {
  let mode: ServerConfiguration.Authentication
  let codec: AccessTokenCodec
  let issuer: IdentityIssuer?
  let foreign: ForeignIssuer?
  let leewayMilliseconds: Int64

  init(_ configuration: ServerConfiguration, _ keys: TokenKeys) {
    mode = configuration.authentication
    codec = keys.codec(configuration)
    issuer = keys.issuer
    foreign = configuration.foreignIssuer.flatMap { settings in
      keys.foreign.map { ForeignIssuer(settings: settings, keys: $0) }
    }
    leewayMilliseconds = configuration.leewayMilliseconds
  }

  /// Returns the token of an upload after verifying its signature and expiry; the store checks revocation in the transaction
  /// that stores the records. Nil when no token is required and none is presented.
  ///
  /// When no token is required, a signed one identifies the device regardless of its age: the device is never told to refresh
  /// it, and its name must not change when the token expires. Any other token is ignored.
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
      // An expired token still identifies its device.
      throw .refused(Response.notAccepted(error).to(exchange.identity(device)))
    }
  }

  /// The algorithm only selects the issuer; each issuer compares it with that of its own key.
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
  /// The answer to the token of an app whose registration failed. The status is the demo server's; it makes no client refresh
  /// (SDK §21).
  static let neverRegistered = Response.error(406, "dummy_token", "this app has not registered; its token is a dummy")

  /// A token whose key is not known yet may be valid: 401 would make a device refresh it (SDK §11.2).
  static func notAccepted(_ error: AccessTokenError) -> Response {
    switch error {
    case .keysUnavailable, .keyNotSeen:
      .error(503, "keys_unavailable", "the access token cannot be checked yet: \(error.reason); try again")
        .with(HeaderName.retryAfter, "1")
    default: .unauthorized("token_\(error)", "the access token is not accepted: \(error.reason)", error.reason)
    }
  }
}
