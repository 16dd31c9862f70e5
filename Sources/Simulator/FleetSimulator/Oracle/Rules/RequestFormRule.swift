import Base
import Contract
import Host
import Scenario
import Upload
import Vocabulary

/// I29: what the scenario's configuration says of headers, params, method and shape is what goes over the wire, with each
/// device's own words filled in (HttpConfig; SDK §8.1 to §8.3). Requests are looked at as they leave the app, of each device
/// the first after each configuration and then now and then.
final class RequestFormRule: Rule {
  override class var invariant: Invariant { .requestForm }
  override class var interest: Interest { [.sent, .life] }
  override class var absence: String { "no records were sent" }

  private struct Sender {
    /// Until the next look.
    var unseen = 0
    var isTold = false
    /// A command has changed its configuration, its store has failed, and it was started again since.
    var isUncertain = false
    /// A command changed its configuration then.
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
      if ledger.truth.lives[context.device].isReconfigured {
        senders[context.device].reconfiguredAt = context.now.monotonic
      }
    case .launched:
      let life = ledger.truth.lives[context.device]
      if life.isReconfigured, life.disturbedAt != nil { senders[context.device].isUncertain = true }
    case .sent(let request) where request.purpose == .records:
      // A command before that one in the same answer may have begun it.
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
    // A device that was reconfigured goes by its new configuration.
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
}
