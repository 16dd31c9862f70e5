import Base
import Contract
import Host
import Scenario
package import Upload
import Vocabulary

/// I22 on the server's side: an upload with an access token that is too old, or was taken back, is no success
/// (SDK §11.2): a device whose invalid token is accepted never learns that it needs a new one.
final class TokenRule: Rule {
  override class var invariant: Invariant { .auth }
  override class var interest: Interest { [.sent, .served, .ended, .life] }

  fileprivate struct Token {
    let text: String
    /// The time at which its device received it; the token is at least that old.
    let since: MonotonicInstant
    var isTakenBack = false
  }

  private struct Holder {
    var token: Token?
    /// Open requests, the tokens they carry, and whether the token was invalid when the server answered, or already when it was
    /// sent: when a real server answers is unknown.
    var shown: [(request: UInt64, token: Token, isUnduly: Bool)] = []
    /// The number of active faults that answer in the server's name.
    var impostors = 0
  }

  /// The devices that have tokens.
  private var holders: [Int: Holder] = [:]
  /// The clock skew that servers tolerate.
  private static let tolerance = Nanoseconds.seconds(90)

  override class var absence: String { "no device had a token" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .configured(let configuration): learn(configuration.authorization.accessToken, context)
    case .sent(let request) where request.purpose == .records:
      guard let token = holders[device]?.token, request.shows(accessToken: token.text) else { return }
      exercised += 1
      let isUnduly = token.isTakenBack && holders[device]?.impostors == 0
      holders[device]?.shown.append((request.id, token, isUnduly))
    case .served(let request, _, _): serve(request, context)
    case .ended(let request, let outcome): end(request, outcome.status, context)
    case .killed: holders[device]?.shown = []
    case .faultBegan(let occurrence): change(by: occurrence, isBegin: true, of: device)
    case .faultEnded(let occurrence): change(by: occurrence, isBegin: false, of: device)
    default: break
    }
  }

  private func learn(_ text: String?, _ context: EventContext) {
    guard let text, holders[context.device]?.token?.text != text else { return }
    holders[context.device, default: Holder()].token = Token(text: text, since: context.now.monotonic)
  }

  private func change(by occurrence: FaultOccurrence, isBegin: Bool, of device: Int) {
    guard holders[device] != nil else { return }
    if occurrence.effects.contains(.answersRequests) {
      holders[device]?.impostors += isBegin ? 1 : -1
      for index in holders[device]?.shown.indices ?? 0..<0 { holders[device]?.shown[index].isUnduly = false }
    }
    guard isBegin, occurrence.effects.contains(.endsTokens) else { return }
    holders[device]?.token?.isTakenBack = true
    for index in holders[device]?.shown.indices ?? 0..<0 { holders[device]?.shown[index].token.isTakenBack = true }
  }

  private func serve(_ request: UInt64, _ context: EventContext) {
    guard let holder = holders[context.device], holder.impostors == 0,
      let index = holder.shown.firstIndex(where: { $0.request == request })
    else { return }
    let token = holder.shown[index].token
    let isOld = ledger.tokenLifetime.map { context.now.monotonic - token.since > $0 + TokenRule.tolerance } ?? false
    holders[context.device]?.shown[index].isUnduly = isOld || token.isTakenBack
  }

  private func end(_ request: UInt64, _ status: Int, _ context: EventContext) {
    let device = context.device
    guard let index = holders[device]?.shown.firstIndex(where: { $0.request == request }),
      let shown = holders[device]?.shown.remove(at: index), shown.isUnduly, (200..<300).contains(status)
    else { return }
    let page = ledger.pages[device]
    let row = page.request(request)?.rows.first
    flag(
      context, row.flatMap { page.waiting[row: $0]?.uuid },
      "request \(request) is answered with \(status), and its access token "
        + (shown.token.isTakenBack ? "was taken back" : "is older than tokens of this server can be"))
  }
}

extension OutgoingRequest {
  /// Reports whether a header carries the token, with any scheme. Compares bytes: `hasSuffix` would compare
  /// hundreds of characters.
  package func shows(accessToken text: String) -> Bool {
    headers.contains { header in
      header.isNamed(HeaderName.authorization) && header.value.utf8.suffix(text.utf8.count).elementsEqual(text.utf8)
    }
  }
}
