import Base
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// I11: with `disableAutoSyncOnCellular`, no upload starts automatically on a cellular network; one that the app requests with
/// `sync()` may use any (SDK §8.5.5).
final class CellularRule: Rule {
  override class var invariant: Invariant { .cellularPolicy }
  override class var interest: Interest { [.sent, .inserted, .course] }
  override class var absence: String { "no record was made on a cellular network that uploads keep off" }

  /// Whether the app has called `sync()`.
  private let hasAsked: PerDevice<Bool>

  required init(_ ledger: Ledger) {
    hasAsked = PerDevice(false, in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if case .askedToSync = event { hasAsked[device] = true }
    guard ledger.radio.kind(of: context.network) == .cellular, !ledger.pages[device].isHealed,
      ledger.pages[device].terms?.defersOnCellular == true
    else { return }
    switch event {
    case .queue(.inserted): exercised += 1
    case .sent(let request) where request.purpose == .records:
      if request.cargo?.trigger == .manual && hasAsked[device] { return }
      flag(context, nil, "request \(request.id) goes over \(ledger.radio[context.network].name)")
    default: break
    }
  }
}
