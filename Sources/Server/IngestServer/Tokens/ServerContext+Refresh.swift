import Base
import Contract
import HTTP1
import JSON
import Store
import Synchronization

extension ServerContext {
  /// A device shows its refresh token and gets the next pair. The Authorization field is not looked at: by default the
  /// SDK sends the expired access token there.
  func refresh(_ exchange: Exchange) -> Reply {
    let fields: [NameValuePair]
    do throws(ResponseError) { fields = try formFields(of: exchange) } catch { return .answer(error.response) }
    guard let text = RefreshFields.refreshToken(in: fields) else {
      return .answer(.error(400, "refresh_token_missing", "the body has no refresh_token"))
    }
    let presented = UUID128(digest: Cryptography.sha256(Array(text.utf8)))
    if let wait = refreshThrottle.withLock({ $0.wait(of: presented, now: exchange.begunAt) }) {
      return .answer(.tooManyRefreshes(wait))
    }
    guard let shown = RefreshToken(text: text) else {
      refreshThrottle.withLock { $0.failed(presented, run: exchange.run, now: exchange.begunAt) }
      return .answer(.refused(.unknown))
    }
    let breakage = refreshBreakages.withLock { $0.take(for: shown.device) }
    switch breakage {
    case .status(let status): return .answer(.error(status, "refresh_broken", "an administrator asked for this"))
    case .drop(.before): return .answer(.cut)
    case .drop(.after), .shape, nil: break
    }
    let successor = RefreshToken(for: shown.device)
    let rotation = TokenRotation(
      presented: presented, successor: successor.hash, answer: Array(successor.text.utf8),
      expiresAt: refreshExpiry(from: exchange.receivedAt))
    return .store(
      .rotate(rotation),
      afterwards: .refresh(RefreshRotation(successor: successor, presented: presented, breakage: breakage)))
  }

  func refreshed(_ rotation: RefreshRotation, _ result: StoreResult, _ exchange: Exchange) -> Response {
    let device = rotation.successor.device
    switch result {
    case .rotated(let family): return refreshAnswer(rotation.successor, family, rotation, exchange)
    case .rotatedBefore(let family, let text):
      // The first answer was lost on its way: the same successor once more.
      guard let earlier = RefreshToken(text: String(decoding: text, as: UTF8.self)) else {
        preconditionFailure("the store gives back what it was given")
      }
      return refreshAnswer(earlier, family, rotation, exchange)
    case .refused(let refusal):
      refreshThrottle.withLock { $0.failed(rotation.presented, run: device.run, now: exchange.begunAt) }
      // A token that the store knows proves whose it was, though it is good for nothing else any more.
      return refusal == .unknown || refusal == .deviceDeleted ? .refused(refusal) : .refused(refusal).to(device)
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a refresh with a rotation, a refusal or an outage")
    }
  }

  private func refreshAnswer(
    _ refresh: RefreshToken, _ family: Int64, _ rotation: RefreshRotation, _ exchange: Exchange
  ) -> Response {
    let tokens = answer(refresh, family: family, at: exchange.receivedAt)
    let response = answer(tokens, broken: rotation.breakage)
    return rotation.breakage == nil ? response.to(refresh.device) : response
  }

  /// Urlencoded, multipart or JSON, by the media type; without one, JSON when it looks like it (SDK §22, row 7).
  private func formFields(of exchange: Exchange) throws(ResponseError) -> [NameValuePair] {
    let essence = exchange.mediaType?.essence
    do {
      switch essence {
      case "multipart/form-data": return try multipartFields(of: exchange)
      case "application/json": return try jsonFields(of: exchange)
      case nil where exchange.body.first == UInt8(ascii: "{"): return try jsonFields(of: exchange)
      default:
        return try FormItem.parse(exchange.body.span, limits: configuration.http).map {
          NameValuePair($0.name, $0.value)
        }
      }
    } catch {
      throw ResponseError(.error(400, "bad_refresh", "\(error)"))
    }
  }

  private func jsonFields(of exchange: Exchange) throws(JSONError) -> [NameValuePair] {
    NameValuePair.list(try JSONValue(parsing: exchange.body.span, duplicateKeys: .lastWins))
  }

  private func multipartFields(of exchange: Exchange) throws(HTTPError) -> [NameValuePair] {
    let boundary = exchange.mediaType?.parameter("boundary") ?? ""
    return try FormPart.parse(exchange.body.span, boundary: boundary, limits: configuration.http).map { part in
      NameValuePair(part.name, String(decoding: exchange.body[part.content], as: UTF8.self))
    }
  }
}

extension Response {
  /// Ends the connection without a word.
  fileprivate static var cut: Response {
    var response = Response.json { $0.null() }
    response.isCut = true
    return response
  }

  /// RFC 6585 §4.
  fileprivate static func tooManyRefreshes(_ wait: Nanoseconds) -> Response {
    .error(429, "too_many_refreshes", "this refresh token has failed too often; register again, or wait")
      .with("Retry-After", "\(max(1, (wait.wholeMilliseconds + 999) / 1_000))")
  }
}

extension Exchange {
  /// Nil when there is none, or none that can be read.
  var mediaType: HTTP1.MediaType? {
    guard let contentType else { return nil }
    do throws(HTTPError) { return try HTTP1.MediaType(parsing: contentType.span) } catch { return nil }
  }
}
