import Base
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// I11: no upload begins by itself on a cellular network when `disableAutoSyncOnCellular` is set (SDK §8.5).
final class CellularRule: Rule {
  override class var invariant: Invariant { .cellularPolicy }
  override class var interest: Interest { [.sent, .inserted] }
  override class var absence: String { "no record was made on a cellular network that uploads keep off" }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    guard ledger.radio.kind(of: sighting.network) == .cellular, !ledger.pages[device].isHealed,
      ledger.pages[device].terms?.defersOnCellular == true
    else { return }
    switch happening {
    case .queue(.inserted): exercised += 1
    case .sent(let request) where request.purpose == .records:
      blame(sighting, nil, "request \(request.id) goes over \(ledger.radio[sighting.network].name)")
    default: break
    }
  }
}
