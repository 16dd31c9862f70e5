import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I22: at most one refresh is under way, a flush makes at most one, and a rejected one is not repeated at once
/// (SDK §11.2, §11.6). An upload does not begin with a token of which the phone knows that it has expired (SDK §11.5).
final class AuthRule: Rule {
  override class var invariant: Invariant { .auth }
  override class var interest: Interest { [.sent, .ended, .inserted, .told, .life, .course] }

  private struct Tokens {
    var refreshesInARow = 0
    var mustWait = false
    /// The time of the last refresh.
    var sentAt: MonotonicInstant?

    /// Called for an event that may start a new flush.
    mutating func beginAnew() { (refreshesInARow, mustWait) = (0, false) }
  }

  /// The tokens whose end the phone knows and which it can replace.
  private var tokens: [Int: HeldToken] = [:]

  /// The devices that have refreshed.
  private var devices: [Int: Tokens] = [:]

  override class var absence: String { "no device refreshed its token" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if case .configured(let configuration) = event { learn(configuration.authorization, context) }
    if case .ended(let request, let outcome) = event, (200..<300).contains(outcome.status), !tokens.isEmpty,
      ledger.pages[device].open.contains(where: { $0.id == request && $0.purpose == .refresh })
    {
      tokens[device]?.setAt = context.now.wall
    }
    switch event {
    case .sent(let request) where request.purpose == .refresh:
      if isOfSilentBeat(request, device) { change(device) { $0.beginAnew() } }
      judge(request.id, context)
    case .sent(let request) where request.purpose == .records: judgeToken(of: request, context)
    case .ended(let request, let outcome) where !devices.isEmpty:
      let open = ledger.pages[device].open
      let purpose = open.first { $0.id == request }?.purpose
      if purpose == .refresh && !(200..<300).contains(outcome.status) {
        // An upload that is still under way may be rejected later and need its own refresh.
        change(device) { $0.mustWait = !open.contains { $0.purpose == .records } }
      }
      if purpose == .records && outcome.status != 401 { change(device) { $0.refreshesInARow = 0 } }
    case .queue(.inserted), .told(.engine), .told(.commanded), .launched, .opened, .closed, .network, .configured,
      .fetched, .healed, .askedToSync:
      change(device) { $0.beginAnew() }
    default: break
    }
  }

  private func change(_ device: Int, _ change: (inout Tokens) -> Void) {
    if let place = devices.index(forKey: device) { change(&devices.values[place]) }
  }

  /// Reports whether the refresh belongs to an unreported heartbeat: a process without a position reports none, but its
  /// heartbeat still begins a flush (SDK §8.5, §11.6).
  private func isOfSilentBeat(_ request: OutgoingRequest, _ device: Int) -> Bool {
    guard let occasion = request.occasion, occasion.trigger == .heartbeat, let before = devices[device]?.sentAt else {
      return false
    }
    return occasion.triggeredAt > before
  }

  private func learn(_ authorization: AuthorizationSettings, _ context: EventContext) {
    let isEnding = authorization.accessToken != nil && authorization.expires > 0 && authorization.refreshUrl != nil
    tokens[context.device] =
      isEnding ? HeldToken(authorization, after: tokens[context.device], at: context.now.wall) : nil
  }

  /// A flush that has refreshed already goes on with what it got.
  private func judgeToken(of request: OutgoingRequest, _ context: EventContext) {
    guard let token = tokens[context.device], let end = token.end, let text = token.authorization.accessToken,
      context.now.wall.milliseconds(since: end) > SentRequest.preparation.wholeMilliseconds,
      let payload = request.payload, request.shows(accessToken: text)
    else { return }
    if let refresh = devices[context.device]?.sentAt, refresh >= payload.triggeredAt { return }
    flag(context, nil, "upload \(request.id) is sent with a token that expired at \(end)")
  }

  private func judge(_ request: UInt64, _ context: EventContext) {
    let device = context.device
    let others = ledger.pages[device].open.filter {
      $0.purpose == .refresh && $0.id != request && !$0.isGivenUp(at: context.now.monotonic)
    }
    if let other = others.first {
      flag(context, nil, "refresh \(request) is sent while refresh \(other.id) is under way")
    }
    exercised += 1
    var tokens = devices[device, default: Tokens()]
    tokens.refreshesInARow += 1
    if tokens.mustWait && !ledger.pages[device].isHealed {
      flag(context, nil, "refresh \(request) follows one that was refused without an event in between")
    } else if tokens.refreshesInARow > 1 && !ledger.pages[device].isHealed {
      flag(context, nil, "refresh \(request) is the second one of a flush")
    }
    (tokens.mustWait, tokens.sentAt) = (false, context.now.monotonic)
    devices[device] = tokens
  }
}
