import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I17: the odometer never goes back unless it is set (behaviour §17). Its distance from the true way is a figure of the
/// run, not a verdict: the SDK's own filter shortens steps at motion changes.
final class OdometerRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.told, .queue, .life] }

  /// Of each device: what the last record said.
  private var metres: [Double]
  /// Devices whose store has failed: what they could not write is gone with the app.
  private var disturbed: Set<Int> = []

  required init(_ ledger: Ledger) {
    metres = Array(repeating: 0, count: ledger.names.count)
    super.init(ledger)
  }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    switch happening {
    case .queue(.refused): disturbed.insert(sighting.device)
    case .kept(let state) where ledger.pages[sighting.device].aliveSince == nil:
      if disturbed.remove(sighting.device) != nil { metres[sighting.device] = state.odometerMetres }
    case .told(.engine(.location(let record))):
      let before = metres[sighting.device]
      metres[sighting.device] = record.odometer
      if record.odometer < before {
        blame(sighting, record.uuid, "the odometer goes back from \(before) m to \(record.odometer) m")
      }
    case .told(.commanded(.setOdometer)), .told(.commanded(.resetOdometer)): metres[sighting.device] = 0
    default: break
    }
  }
}
