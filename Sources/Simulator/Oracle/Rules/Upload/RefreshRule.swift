import Base
import Contract
import Engine
import Host
import JSON
import Scenario
import Upload
import Vocabulary

/// I22, I29: new tokens are asked for after a 401, and otherwise only where the phone knows that its token has expired, in the
/// form of the configuration; those that come are kept for all requests that follow (SDK §11.2 to §11.5).
final class RefreshRule: Rule {
  override class var invariant: Invariant { .auth }
  override class var invariants: Set<Invariant> { [.auth, .requestForm] }
  override class var interest: Interest { [.sent, .ended, .event, .life] }
  override class var absence: String { "no device refreshed its token" }

  private struct Phone {
    var token: HeldToken?
    var configuredAt = MonotonicInstant(nanoseconds: -1)
    var refusedAt: MonotonicInstant?
    /// The last upload, when its flush began, and when the last refresh was asked for.
    var upload: (request: UInt64, triggeredAt: MonotonicInstant)?
    var refreshedAt: MonotonicInstant?
    /// When a 401 came that asks for a refresh.
    var owedAt: MonotonicInstant?
    /// The access token with which the refresh under way was asked for.
    var asked: (request: UInt64, token: String?)?
    /// The tokens that have come at an instant, until it is over.
    var come: (tokens: AuthorizationSettings, at: MonotonicInstant)?
    var isTold = false
  }

  /// The devices that can refresh.
  private var phones: [Int: Phone] = [:]

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let come = phones[device]?.come, come.at < now { look(for: come.tokens, context) }
    if let owedAt = phones[device]?.owedAt, owedAt + SentRequest.preparation + ledger.lateness < now {
      miss(owedAt, context)
    }
    switch event {
    case .configured(let configuration): learn(configuration.authorization, context)
    case .sent(let request) where request.purpose == .refresh: judge(request, context)
    case .sent(let request) where phones[device] != nil:
      if let payload = request.payload { phones[device]?.upload = (request.id, payload.triggeredAt) }
    case .ended(let request, let outcome) where phones[device] != nil: end(request, outcome, context)
    // A command of the same answer may bring tokens of its own.
    case .told(.commanded): phones[device]?.come = nil
    case .killed:
      phones[device]?.asked = nil
      phones[device]?.come = nil
      phones[device]?.owedAt = nil
    default: break
    }
  }

  private func learn(_ authorization: AuthorizationSettings, _ context: EventContext) {
    let device = context.device
    guard authorization.refreshUrl != nil || phones[device] != nil else { return }
    var phone = phones[device, default: Phone()]
    phone.token = HeldToken(authorization, after: phone.token, at: context.now.wall)
    (phone.configuredAt, phone.owedAt) = (context.now.monotonic, nil)
    phones[device] = phone
  }

  private func end(_ request: UInt64, _ outcome: RequestOutcome, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let sent = ledger.pages[device].request(request)
    if sent?.purpose == .records {
      phones[device]?.refusedAt = outcome.status == 401 ? now : nil
      if outcome.status == 401 { owe(request, context) }
    }
    guard let asked = phones[device]?.asked, asked.request == request else { return }
    phones[device]?.asked = nil
    // An answer behind the watchdog is ignored, and tokens that the app has replaced meanwhile stay (SDK §9.2.2, §11.6).
    guard let sent, ledger.isAwaited(sent, at: now), asked.token == phones[device]?.token?.authorization.accessToken,
      let tokens = RefreshRule.tokens(in: outcome, over: phones[device]?.token?.authorization)
    else { return }
    phones[device]?.come = (tokens, now)
  }

  /// The first 401 of a flush is followed by a refresh at once (SDK §11.2.1, §11.2.4).
  private func owe(_ request: UInt64, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard let phone = phones[device], phone.token?.authorization.refreshUrl != nil, phone.configuredAt < now,
      let upload = phone.upload, upload.request == request, phone.refreshedAt.map({ $0 < upload.triggeredAt }) ?? true,
      let sent = ledger.pages[device].request(request), ledger.isAwaited(sent, at: now)
    else { return }
    phones[device]?.owedAt = now
  }

  private func miss(_ owedAt: MonotonicInstant, _ context: EventContext) {
    phones[context.device]?.owedAt = nil
    if isCertain(context.device) { tell("no refresh has followed the 401 at \(owedAt.clockText)", .auth, context) }
  }

  /// Returns the authorization with the tokens of an answer in the form that every version understands (SDK §11.4); nil for
  /// another answer.
  private static func tokens(
    in outcome: RequestOutcome, over authorization: AuthorizationSettings?
  ) -> AuthorizationSettings? {
    guard var tokens = authorization, case .answered(let status, _, let body) = outcome, status == 200 || status == 201
    else { return nil }
    do throws(JSONError) {
      let answer = try JSONValue(parsing: body.span)
      guard case .object(let object) = answer,
        object.members.allSatisfy({
          $0.key.hasPrefix("access_") || $0.key.hasPrefix("refresh_token") || $0.key == "expires_in"
        }),
        case .string(let access)? = object[TokenKey.refreshedAccessToken], !access.isEmpty
      else { return nil }
      tokens.accessToken = access
      if case .string(let refresh)? = object[TokenKey.refreshedRefreshToken], !refresh.isEmpty {
        tokens.refreshToken = refresh
      }
      if case .integer(let seconds)? = object[TokenKey.refreshedExpiresIn] { tokens.expires = Double(seconds) }
      return tokens
    } catch { return nil }
  }

  private func look(for tokens: AuthorizationSettings, _ context: EventContext) {
    phones[context.device]?.come = nil
    guard let kept = phones[context.device]?.token?.authorization else { return }
    exercised += 1
    let lost: String? =
      kept.accessToken != tokens.accessToken
      ? "the access token"
      : kept.refreshToken != tokens.refreshToken
        ? "the refresh token" : kept.expires != tokens.expires ? "the expiry" : nil
    if let lost { tell("it has not kept \(lost) that a refresh brought", .auth, context) }
  }

  private func judge(_ request: OutgoingRequest, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let token = phones[device]?.token?.authorization.accessToken
    phones[device]?.asked = (request.id, token)
    phones[device]?.refreshedAt = now
    phones[device]?.owedAt = nil
    guard let phone = phones[device], let held = phone.token, phone.configuredAt < now, isCertain(device)
    else { return }
    exercised += 1
    let isRefused = phone.refusedAt.map { now - $0 <= SentRequest.preparation + ledger.lateness } ?? false
    let isExpired =
      held.end.map {
        $0.milliseconds(since: context.now.wall) <= (SentRequest.preparation + ledger.lateness).wholeMilliseconds
      }
      ?? false
    if !isRefused && !isExpired {
      tell("refresh \(request.id) follows no 401, and its token has not expired", .auth, context)
    }
    guard ledger.seesServer, let configuration = ledger.truth.lives[device].configuration,
      let expected = ExpectedRefresh(configuration)
    else { return }
    for fault in expected.faults(of: request) { tell("refresh \(request.id) \(fault)", .requestForm, context) }
  }

  /// Reports whether the configuration of the phone is known: one that its store could not keep is lost with the process.
  private func isCertain(_ device: Int) -> Bool {
    let life = ledger.truth.lives[device]
    return life.isUndisturbed && !life.isHealed
  }

  private func tell(_ what: String, _ invariant: Invariant, _ context: EventContext) {
    guard phones[context.device]?.isTold == false else { return }
    phones[context.device]?.isTold = true
    ledger.violations.flag(invariant, context.device, at: context.now.monotonic, what)
  }
}
