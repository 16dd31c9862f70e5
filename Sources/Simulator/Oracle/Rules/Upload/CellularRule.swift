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
  override class var interest: Interest { [.sent, .inserted] }
  override class var absence: String { "no record was made on a cellular network that uploads keep off" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    guard ledger.radio.kind(of: context.network) == .cellular, !ledger.pages[device].isHealed,
      ledger.pages[device].terms?.defersOnCellular == true
    else { return }
    switch event {
    case .queue(.inserted): exercised += 1
    case .sent(let request) where request.purpose == .records:
      // The upload begins with the call, and goes on as its requests end.
      let isAsked = [ledger.truth.lives[device].syncedAt, ledger.pages[device].endedAt].contains(context.now.monotonic)
      if request.payload?.trigger == .manual && isAsked { return }
      flag(context, nil, "request \(request.id) goes over \(ledger.radio[context.network].name)")
    default: break
    }
  }
}
