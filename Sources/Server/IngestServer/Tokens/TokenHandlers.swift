import Base
import Contract
import HTTP1
import JSON
import Store
import Synchronization

/// The tokens that devices ask for.
struct TokenHandlers: Sendable {
  let codec: AccessTokenCodec
  let checks: RefreshChecks
  let accessSeconds: Int
  let refreshSeconds: Int
  let limits: HTTPLimits

  /// A device asks for its first pair of tokens (SDK §21).
  func register(_ exchange: Exchange) -> Reply {
    let request: RegisterRequest
    do {
      request = try RegisterRequest(JSONValue(parsing: exchange.body.span, duplicateKeys: .lastWins))
    } catch {
      return .answer(.error(400, "bad_registration", "\(error)"))
    }
    guard let device = exchange.identity(request.deviceID ?? request.uuid) else { return .answer(.nameTooLong) }
    let refresh = RefreshToken(for: device)
    let family = TokenFamily(device: device, refresh: refresh.hash, expiresAt: refreshExpiry(from: exchange.receivedAt))
    let now = exchange.receivedAt
    return .store(.beginFamily(family), afterwards: .then { .answer(registered(refresh, $0, at: now)) })
  }

  private func registered(_ refresh: RefreshToken, _ result: StoreResult, at now: WallInstant) -> Response {
    switch result {
    case .family(let family):
      let answer = answer(refresh, family: family, at: now).registrationJSON
      return .json { answer.write(to: &$0) }
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a registration with a family or an outage")
    }
  }

  /// A new access token beside the refresh token.
  private func answer(_ refresh: RefreshToken, family: Int64, at now: WallInstant) -> TokenAnswer {
    let token = AccessToken(
      scope: .device, subject: refresh.device.name, family: family, issuedAt: now,
      expiresAt: now.advanced(byMilliseconds: Int64(accessSeconds) * 1_000))
    return TokenAnswer(
      accessToken: codec.encode(token), refreshToken: refresh.text,
      expiresInSeconds: Double(accessSeconds))
  }

  private func refreshExpiry(from now: WallInstant) -> WallInstant {
    now.advanced(byMilliseconds: Int64(refreshSeconds) * 1_000)
  }
}

extension TokenHandlers {
  /// A device shows its refresh token and gets the next pair. The Authorization field is not looked at: by default the
  /// SDK sends the expired access token there.
  func refresh(_ exchange: Exchange) -> Reply {
    let fields: [NameValuePair]
    do throws(ResponseError) { fields = try formFields(of: exchange) } catch { return .answer(error.response) }
    guard let text = RefreshFields.refreshToken(in: fields) else {
      return .answer(.error(400, "refresh_token_missing", "the body has no refresh_token"))
    }
    let presented = UUID128(digest: Cryptography.sha256(Array(text.utf8)))
    if let wait = checks.throttle.withLock({ $0.wait(of: presented, now: exchange.begunAt) }) {
      return .answer(.tooManyRefreshes(wait))
    }
    guard let shown = RefreshToken(text: text) else {
      checks.throttle.withLock { $0.failed(presented, run: exchange.run, now: exchange.begunAt) }
      return .answer(.refused(.unknown))
    }
    let breakage = checks.breakages.withLock { $0.take(for: shown.device) }
    switch breakage {
    case .status(let status):
      return .answer(.error(status, "refresh_broken", "refresh failure injected by an administrator"))
    case .drop(.before): return .answer(.cut)
    case .drop(.after), .shape, nil: break
    }
    let successor = RefreshToken(for: shown.device)
    let rotation = TokenRotation(
      presented: presented, successor: successor.hash, answer: Array(successor.text.utf8),
      expiresAt: refreshExpiry(from: exchange.receivedAt))
    let (now, begunAt) = (exchange.receivedAt, exchange.begunAt)
    return .store(
      .rotate(rotation),
      afterwards: .then { result in
        .answer(refreshed(rotation, successor, breakage, result, at: now, begunAt))
      })
  }

  private func refreshed(
    _ rotation: TokenRotation, _ successor: RefreshToken, _ breakage: RefreshBreakage?, _ result: StoreResult,
    at now: WallInstant, _ begunAt: MonotonicInstant
  ) -> Response {
    let device = successor.device
    switch result {
    case .rotated(let family): return answer(successor, family, breakage, at: now)
    case .rotatedBefore(let family, let text):
      // The first answer was lost on its way: the same successor once more.
      guard let earlier = RefreshToken(text: String(decoding: text, as: UTF8.self)) else {
        preconditionFailure("the store gives back what it was given")
      }
      return answer(earlier, family, breakage, at: now)
    case .refused(let refusal):
      checks.throttle.withLock { $0.failed(rotation.presented, run: device.run, now: begunAt) }
      // A token that the store knows proves whose it was, though it is good for nothing else any more.
      return refusal == .unknown || refusal == .deviceDeleted ? .refused(refusal) : .refused(refusal).to(device)
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a refresh with a rotation, a refusal or an outage")
    }
  }

  private func answer(
    _ refresh: RefreshToken, _ family: Int64, _ breakage: RefreshBreakage?, at now: WallInstant
  ) -> Response {
    let response = answer(refresh, family: family, at: now).response(broken: breakage)
    return breakage == nil ? response.to(refresh.device) : response
  }

  /// Urlencoded, multipart or JSON, by the media type; without one, JSON when it looks like it (SDK §22, row 7).
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
    NameValuePair.list(try JSONValue(parsing: body.span, duplicateKeys: .lastWins))
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
