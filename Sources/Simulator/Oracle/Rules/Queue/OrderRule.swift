import Scenario
import Upload

/// I9: a request takes the oldest waiting rows, in order of insertion, or the newest with the opposite order (SDK §8.4).
final class OrderRule: Rule {
  override class var invariant: Invariant { .order }
  override class var interest: Interest { .sent }

  override class var absence: String { "no records were sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .sent(let request) = event, request.purpose == .records else { return }
    let device = context.device
    guard let rows = ledger.pages[device].open.last?.rows, let first = rows.first,
      let newestFirst = ledger.pages[device].terms?.newestFirst
    else { return }
    exercised += 1
    let isInOrder = zip(rows, rows.dropFirst()).allSatisfy { newestFirst ? $0 > $1 : $0 < $1 }
    if !isInOrder {
      let uuid = ledger.pages[device].waiting[row: first]?.uuid
      return flag(context, uuid, "the records of request \(request.id) are not in order")
    }
    // Newer rows may have been inserted since a page was locked.
    if !newestFirst, let oldest = ledger.pages[device].waiting.all.first, oldest.row < first {
      flag(context, oldest.uuid, "skipped: request \(request.id) begins with a newer record")
    }
  }
}
