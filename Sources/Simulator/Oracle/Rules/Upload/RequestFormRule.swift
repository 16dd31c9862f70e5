import Base
import Contract
import Host
import Scenario
import Upload
import Vocabulary

/// I29: requests have the headers, params, method and form of the scenario's configuration, with each device's values filled
/// in (HttpConfig; SDK §8.1 to §8.3). Requests are checked as they leave the app: for each device the first after each
/// configuration, and a sample after that; of all of them the token (HttpConfig 47, SDK §8.1.3, §11.1).
final class RequestFormRule: Rule {
  override class var invariant: Invariant { .requestForm }
  override class var interest: Interest { [.sent, .life] }
  override class var absence: String { "no records were sent" }

  private struct Sender {
    /// The number of requests until the next check.
    var unseen = 0
    var isTold = false
    /// Whether a command has changed the configuration, the store has failed, and the app was started again since.
    var isUncertain = false
    /// The time at which the configuration changed, and at which a command changed it.
    var configuredAt: MonotonicInstant?
    var reconfiguredAt: MonotonicInstant?
  }

  private let senders: PerDevice<Sender>
  private static let unseenMost = 256

  required init(_ ledger: Ledger) {
    senders = PerDevice(Sender(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .configured:
      senders[context.device].unseen = 0
      senders[context.device].configuredAt = context.now.monotonic
      if ledger.truth.lives[context.device].isReconfigured {
        senders[context.device].reconfiguredAt = context.now.monotonic
      }
    case .launched:
      let life = ledger.truth.lives[context.device]
      if life.isReconfigured, life.disturbedAt != nil { senders[context.device].isUncertain = true }
    case .sent(let request) where request.purpose == .records:
      lookAtToken(of: request, context)
      // An earlier command in the same answer may have started it.
      guard senders[context.device].reconfiguredAt != context.now.monotonic else { return }
      senders[context.device].unseen -= 1
      guard senders[context.device].unseen < 0 else { return }
      senders[context.device].unseen = RequestFormRule.unseenMost
      look(at: request, context)
    default: break
    }
  }

  private func look(at request: OutgoingRequest, _ context: EventContext) {
    let life = ledger.truth.lives[context.device]
    // A reconfigured device uses its new configuration.
    guard let told = life.configuration, !senders[context.device].isTold, !senders[context.device].isUncertain else {
      return
    }
    let home = ledger.homes[context.device]
    guard let configuration = life.isReconfigured ? told : ledger.configurations[home.fleet] else { return }
    exercised += 1
    let expected = ExpectedRequest(configuration) { home.filled($0) }
    for fault in expected.faults(of: request, ownHeaders: ledger.ownHeaders) {
      senders[context.device].isTold = true
      flag(context, nil, "request \(request.id) \(fault)")
    }
  }

  private func lookAtToken(of request: OutgoingRequest, _ context: EventContext) {
    let life = ledger.truth.lives[context.device]
    guard let authorization = life.configuration?.authorization, let token = authorization.accessToken,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !senders[context.device].isTold,
      senders[context.device].configuredAt != context.now.monotonic, life.disturbedAt == nil
    else { return }
    let field = request.headers.first { $0.hasName(HeaderName.authorization) }
    let expected = authorization.strategy == .jwt ? "Bearer " + token : token
    guard field?.value != expected else { return }
    senders[context.device].isTold = true
    let found = field == nil ? "lacks the token" : "has another token, or in another form"
    flag(context, nil, "request \(request.id) \(found)")
  }
}
