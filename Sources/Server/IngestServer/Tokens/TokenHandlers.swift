import Base
import Contract
import HTTP1
import JSON
import Store
import Synchronization
import TLS

/// How tokens are signed, and the wording of the answers.
struct TokenWording: Sendable {
  let sign: @Sendable (TokenGrant) -> String
  let answer: @Sendable (TokenGrant) -> Response
  let refuse: @Sendable (TokenRefusal, DeviceIdentity) -> Response
  /// Whether a token that fails repeatedly must wait; providers do not require that.
  var holdsOff = true
}

/// Handles the token requests of devices.
struct TokenHandlers: Sendable {
  let codec: AccessTokenCodec
  let checks: RefreshChecks
  let accessSeconds: Int
  let refreshSeconds: Int
  let policy: RefreshPolicy
  let limits: HTTPLimits
  /// Signs instead of the codec.
  let issuer: IdentityIssuer?

  init(_ configuration: ServerConfiguration, _ keys: TokenKeys, _ checks: RefreshChecks) {
    codec = keys.codec(configuration)
    self.checks = checks
    accessSeconds = configuration.accessLifetime
    refreshSeconds = configuration.refreshLifetime
    policy = configuration.refreshPolicy
    limits = configuration.http
    issuer = keys.issuer
  }

  /// Issues the first pair of tokens to a device (SDK §21).
  func register(_ exchange: Exchange) -> Reply {
    let request: RegisterRequest
    do {
      request = try RegisterRequest(JSONValue(parsing: exchange.body.span, reading: .lenient))
    } catch {
      return .answer(.error(400, "bad_registration", "\(error)"))
    }
    guard let device = exchange.identity(request.deviceID ?? request.uuid) else { return .answer(.nameTooLong) }
    exchange.isSaid(toBeOf: device)
    let sign = sign
    let voice = TokenWording(
      sign: sign,
      answer: { grant in
        let answer = TokenAnswer(
          accessToken: sign(grant), refreshToken: grant.refreshToken, expiresInSeconds: Double(grant.accessSeconds))
        return .json { answer.registrationJSON.write(to: &$0) }
      }, refuse: { refusal, _ in .refused(refusal) })
    return begin(device, exchange, voice)
  }

  /// Exchanges a refresh token for the next pair. The Authorization field is ignored: by default the SDK sends the expired
  /// access token there.
  func refresh(_ exchange: Exchange) -> Reply {
    let fields: [NameValuePair]
    do throws(ResponseError) { fields = try formFields(of: exchange) } catch { return .answer(error.response) }
    guard let text = RefreshFields.refreshToken(in: fields) else {
      return .answer(.error(400, "refresh_token_missing", "the body has no refresh_token"))
    }
    if let shown = RefreshToken(text: text) { exchange.isSaid(toBeOf: shown.device) }
    let sign = sign
    let voice = TokenWording(
      sign: sign,
      answer: { grant in
        let answer = TokenAnswer(
          accessToken: sign(grant), refreshToken: grant.refreshToken, expiresInSeconds: Double(grant.accessSeconds))
        return answer.refreshed.to(grant.device)
      },
      // A token in the store identifies its device, even if it is not valid any more.
      refuse: { refusal, device in
        refusal == .unknown || refusal == .deviceDeleted ? .refused(refusal) : .refused(refusal).to(device)
      })
    return rotate(text, exchange, voice)
  }

  private var sign: @Sendable (TokenGrant) -> String {
    if let issuer, issuer.profile.interface == nil { return { issuer.sign($0).access } }
    let codec = codec
    return { grant in
      codec.encode(
        AccessToken(
          scope: .device, subject: grant.device.name, family: grant.family, issuedAt: grant.issuedAt,
          expiresAt: grant.expiresAt))
    }
  }

  private func refreshExpiry(from now: WallInstant) -> WallInstant {
    now.advanced(byMilliseconds: Int64(refreshSeconds) * 1_000)
  }

  private func grant(_ refresh: RefreshToken, _ family: Int64, isNew: Bool, for origin: String, at now: WallInstant)
    -> TokenGrant
  {
    TokenGrant(
      device: refresh.device, family: family, refreshToken: refresh.text, isRefreshNew: isNew,
      issuedAt: issuer?.time(now) ?? now, now: now, accessSeconds: accessSeconds, refreshSeconds: refreshSeconds,
      issuer: issuer?.name(for: origin) ?? origin)
  }
}

extension Exchange {
  /// Notes the device named in the body if the head names none, for fault rules and the journal. The name is not authenticated.
  fileprivate func isSaid(toBeOf device: DeviceIdentity) {
    guard self.device.isEmpty, device.run.isExactly(run) else { return }
    self.device = identity(device.name)?.name ?? ""
  }
}

/// The two steps of all token requests.
extension TokenHandlers {
  /// Issues the first pair of a device.
  func begin(_ device: DeviceIdentity, _ exchange: Exchange, _ voice: TokenWording) -> Reply {
    let refresh = RefreshToken(for: device)
    let (now, origin) = (exchange.receivedAt, exchange.origin)
    let family = TokenFamily(device: device, refresh: refresh.hash, expiresAt: refreshExpiry(from: now))
    return .beginFamily(family) { family in
      .answer(voice.answer(grant(refresh, family, isNew: true, for: origin, at: now)))
    }
  }

  /// Exchanges a refresh token for the next pair.
  func rotate(_ text: String, _ exchange: Exchange, _ voice: TokenWording) -> Reply {
    let presented = UUID128(digest: Cryptography.sha256(Array(text.utf8)))
    if voice.holdsOff, let wait = checks.throttle.withLock({ $0.wait(of: presented, now: exchange.begunAt) }) {
      return .answer(.tooManyRefreshes(wait))
    }
    guard let shown = RefreshToken(text: text) else {
      checks.throttle.withLock { $0.failed(presented, run: exchange.run, now: exchange.begunAt) }
      return .answer(voice.refuse(.unknown, DeviceIdentity(run: exchange.run, name: "")))
    }
    let breakage = checks.breakages.withLock { $0.take(for: shown.device) }
    exchange.isBroken = breakage != nil
    switch breakage {
    case .status(let status):
      return .answer(.error(status, "refresh_broken", "refresh failure injected by an administrator"))
    case .drop(.before): return .answer(.cut)
    case .drop(.after), .shape, nil: break
    }
    let successor = policy.rotates ? RefreshToken(for: shown.device) : shown
    let rotation = TokenRotation(
      presented: presented, successor: successor.hash, answer: Array(successor.text.utf8),
      expiresAt: refreshExpiry(from: exchange.receivedAt), graceMilliseconds: Int64(policy.graceSeconds) * 1_000)
    let (now, begunAt, origin) = (exchange.receivedAt, exchange.begunAt, exchange.origin)
    return .rotate(
      rotation,
      refused: { [checks] refusal in
        checks.throttle.withLock { $0.failed(presented, run: shown.device.run, now: begunAt) }
        return voice.refuse(refusal, shown.device)
      },
      { family, earlier in
        // The first answer was lost: send the same successor again.
        let refresh = earlier.map(RefreshToken.init(stored:)) ?? successor
        let isNew = refresh.text != text
        return .answer(voice.answer(grant(refresh, family, isNew: isNew, for: origin, at: now), breakage))
      })
  }
}

extension RefreshToken {
  /// Reads a token as a rotation has stored it.
  fileprivate init(stored text: [UInt8]) {
    guard let token = RefreshToken(text: String(decoding: text, as: UTF8.self)) else {
      preconditionFailure("the store gives back what it was given")
    }
    self = token
  }
}

extension TokenWording {
  /// Returns the answer to a refresh, with the fault that an administrator has requested.
  fileprivate func answer(_ grant: TokenGrant, _ breakage: RefreshBreakage?) -> Response {
    switch breakage {
    case nil, .status, .drop(.before): return answer(grant)
    case .drop(.after):
      var response = answer(grant)
      response.isCut = true
      return response
    case .shape(let shape):
      let tokens = TokenAnswer(
        accessToken: sign(grant), refreshToken: grant.refreshToken, expiresInSeconds: Double(grant.accessSeconds))
      return tokens.refreshed(as: shape)
    }
  }
}

extension TokenHandlers {
  /// Reads urlencoded, multipart or JSON, by the media type; without one, JSON when it looks like it (SDK §22, row 7).
  private func formFields(of exchange: Exchange) throws(ResponseError) -> [NameValuePair] {
    let (body, type) = (exchange.body, exchange.mediaType)
    do {
      switch type?.essence {
      case "multipart/form-data":
        let parts = try FormPart.parse(body.span, boundary: type?.parameter("boundary") ?? "", limits: limits)
        return parts.map { NameValuePair($0.name, String(decoding: body[$0.content], as: UTF8.self)) }
      case "application/json": return try jsonFields(body)
      case nil where body.first == UInt8(ascii: "{"): return try jsonFields(body)
      default: return try FormItem.parse(body.span, limits: limits).map { NameValuePair($0.name, $0.value) }
      }
    } catch {
      throw ResponseError(.error(400, "bad_refresh", "\(error)"))
    }
  }

  private func jsonFields(_ body: [UInt8]) throws(JSONError) -> [NameValuePair] {
    NameValuePair.list(try JSONValue(parsing: body.span, reading: .lenient))
  }
}

extension Response {
  /// Ends the connection without an answer.
  fileprivate static var cut: Response {
    var response = Response.json { $0.null() }
    response.isCut = true
    return response
  }

  /// RFC 6585 §4.
  fileprivate static func tooManyRefreshes(_ wait: Nanoseconds) -> Response {
    .error(429, "too_many_refreshes", "too many failures with this refresh token; register again, or wait")
      .with(HeaderName.retryAfter, "\(max(1, (wait.wholeMilliseconds + 999) / 1_000))")
  }
}
