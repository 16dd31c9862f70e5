package import Base
package import Contract
package import JSON
import Queue
import Vocabulary

/// Token refresh (SDK §11).
extension Uploader {
  /// A token expires at the instant named by the server, not before (SDK §11.5).
  func isTokenExpired(at wall: WallInstant) -> Bool {
    let expires = configuration.authorization.expires
    guard expires > 0, let end = TokenExpiry.instant(of: expires, setAt: tokenSetAt) else { return false }
    return end <= wall
  }

  /// Reports whether a refresh may resolve a 401.
  func mayRefresh(_ flush: Flush, _ effects: inout [UploadEffect]) -> Bool {
    if configuration.authorization.refreshUrl == nil {
      log(.refreshSkipped(.noURL), &effects)
      return false
    }
    if flush.hasRefreshed {
      log(.refreshSkipped(.refreshedAlready), &effects)
      return false
    }
    return true
  }

  /// Requests new tokens while the request of the flush waits. Returns false without a refresh url.
  mutating func refresh(
    for flush: Flush, followsRefusal: Bool, carrying commands: ReceivedCommands?, _ now: Moment,
    _ effects: inout [UploadEffect]
  ) -> Bool {
    let authorization = configuration.authorization
    guard let refresh = RefreshRequest(authorization, uploadHeaders: configuration.http.headers) else { return false }
    if let type = refresh.refusedContentType {
      log(.warning("Unsupported Content-Type for a refresh: \(type)", from: .authorization), &effects)
    }
    var flush = flush
    flush.hasRefreshed = true
    let timeout = UploadRules.timeout(milliseconds: configuration.http.timeoutMilliseconds)
    let awaited = awaitedRequest(timeout: timeout, now)
    flush.awaited = awaited
    flush.stage = .refreshing(
      Flush.Refresh(
        accessToken: authorization.accessToken, followsRefusal: followsRefusal, commands: commands))
    self.flush = flush
    log(.refreshing(url: refresh.url), &effects)
    effects.append(
      .send(
        OutgoingRequest(
          id: awaited.id, purpose: .refresh, method: UploadMethod.post.rawValue, url: refresh.url,
          headers: RequestHeaders.refresh(refresh, userAgent: userAgent), body: refresh.body,
          timeout: timeout,
          occasion: OutgoingRequest.Occasion(trigger: flush.trigger, triggeredAt: flush.beganAt))))
    return true
  }

  mutating func takeRefreshed(
    _ outcome: RequestOutcome, _ refresh: Flush.Refresh, of flush: Flush, _ now: Moment,
    _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    let commands = [refresh.commands, ReceivedCommands(in: outcome)].compactMap(\.self)
    let result = RefreshResult(outcome)
    // Tokens that the app has set meanwhile are newer than the requested ones (SDK §11.6).
    let isOutdated = configuration.authorization.accessToken != refresh.accessToken
    switch result {
    case .success(_, let tokens):
      if !isOutdated { accept(tokens, status: outcome.status, now, &effects) }
    case .failure(let message):
      log(.refreshFailed(status: outcome.status, reason: message), &effects)
      if !isOutdated { unlock(flush.rows, &queue, &effects) }
    }
    effects.append(.authorization(AuthorizationEvent(result, status: outcome.status)))
    if isOutdated {
      log(.warning("Refreshed tokens dropped: the access token was replaced meanwhile", from: .authorization), &effects)
    } else if case .failure = result {
      for commands in commands { effects.append(.commands(commands)) }
      return finish(flush, SyncError(status: outcome.status), now, &effects)
    }
    resend(flush, refresh, after: commands, now, &queue, &effects)
  }

  private mutating func accept(
    _ found: FoundTokens, status: Int, _ now: Moment, _ effects: inout [UploadEffect]
  ) {
    guard let accessToken = found.accessToken else { preconditionFailure("a refresh without a token has failed") }
    for key in found.nonNumericExpiries { log(.warning("Ignoring non-numeric \(key)", from: .authorization), &effects) }
    let tokens = RefreshedTokens(
      accessToken: accessToken, refreshToken: found.refreshToken, expires: found.expires ?? TokenExpiry.never,
      setAt: now.wall)
    tokens.apply(to: &configuration.authorization)
    tokenSetAt = now.wall
    log(.refreshed(status: status, hasNewRefreshToken: found.refreshToken != nil), &effects)
    effects.append(.tokens(tokens))
  }

  /// Sends the same records again, after the commands of the refused upload and of the refresh.
  private mutating func resend(
    _ flush: Flush, _ refresh: Flush.Refresh, after commands: [ReceivedCommands], _ now: Moment,
    _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    var flush = flush
    if refresh.followsRefusal { flush.rows.retry += 1 }
    if commands.isEmpty { return resend(flush, now, &queue, &effects) }
    for commands in commands { effects.append(.commands(commands)) }
    pause(flush, .pausedBeforeResending, &effects)
  }
}

/// The result of a refresh request (SDK §11.2, §11.6).
enum RefreshResult {
  case success(answer: JSONValue, FoundTokens)
  case failure(message: String)

  init(_ outcome: RequestOutcome) {
    guard case .answered(let status, _, let body) = outcome, status == 200 || status == 201 else {
      let text = String(decoding: outcome.text, as: UTF8.self)
      self = .failure(message: text.isEmpty ? "HTTP \(outcome.status)" : text)
      return
    }
    do throws(JSONError) {
      let answer = try JSONValue(parsing: body.span, reading: .lenient)
      let found = FoundTokens(searching: answer)
      self = found.accessToken == nil ? .unreadable : .success(answer: answer, found)
    } catch {
      self = .unreadable
    }
  }

  private static let unreadable = RefreshResult.failure(message: "Failed to parse refresh-token response")
}

/// The changes of a refresh to the authorization group, and their time.
package struct RefreshedTokens: Equatable, Sendable {
  package let accessToken: String
  /// Nil: the old token remains (SDK §11.4).
  package let refreshToken: String?
  package let expires: Double
  /// The start of a relative `expires`.
  package let setAt: WallInstant

  package func apply(to settings: inout AuthorizationSettings) {
    settings.accessToken = accessToken
    if let refreshToken { settings.refreshToken = refreshToken }
    settings.expires = expires
  }
}

/// The answer to a refresh request (SDK §6, `authorization`).
package struct AuthorizationEvent: Equatable, Sendable {
  /// Whether it brought tokens. They are in use unless the app has replaced the old ones meanwhile.
  package let isSuccess: Bool
  /// 0 without an answer.
  package let status: Int
  /// The body of a successful answer, tokens included; otherwise nil.
  package let response: JSONValue?
  /// Nil on success.
  package let error: String?
}

extension AuthorizationEvent {
  fileprivate init(_ result: RefreshResult, status: Int) {
    switch result {
    case .success(let answer, _): self.init(isSuccess: true, status: status, response: answer, error: nil)
    case .failure(let message): self.init(isSuccess: false, status: status, response: nil, error: message)
    }
  }
}
