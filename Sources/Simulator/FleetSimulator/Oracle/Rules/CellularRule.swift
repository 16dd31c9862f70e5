import Base
import Scenario
import Upload
import Vocabulary
import World

/// I11: no upload begins by itself on a cellular network when `disableAutoSyncOnCellular` is set (behaviour §8.5).
final class CellularRule: Rule {
  override class var invariant: Invariant { .cellularPolicy }
  override class var interest: Interest { .sent }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    guard case .sent(let request) = happening, request.purpose == .records else { return }
    let page = ledger.pages[sighting.device]
    guard let terms = page.terms, terms.defersOnCellular, !page.isHealed else { return }
    if ledger.radio.kind(of: sighting.network) == .cellular {
      blame(sighting, nil, "request \(request.id) goes over \(ledger.radio[sighting.network].name)")
    }
  }
}
