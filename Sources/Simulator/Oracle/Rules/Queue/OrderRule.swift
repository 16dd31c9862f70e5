import Base
import Scenario
import Upload
import Vocabulary

/// I9: a request takes the oldest waiting rows, in order of insertion, or the newest with the opposite order (SDK §8.4). Rows are
/// taken before a refresh and stay taken, whatever is configured meanwhile (SDK §9.2).
final class OrderRule: Rule {
  override class var invariant: Invariant { .order }
  override class var interest: Interest { [.sent, .life] }

  /// The order before the refresh that the next upload has waited for: whether the newest came first.
  private var orders: [Int: Bool] = [:]

  override class var absence: String { "no records were sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .sent(let request) where request.purpose == .refresh: orders[device] = ledger.pages[device].terms?.newestFirst
    case .sent(let request) where request.purpose == .records: judge(request, context)
    case .killed: orders[device] = nil
    default: break
    }
  }

  private func judge(_ request: OutgoingRequest, _ context: EventContext) {
    let device = context.device
    let before = orders.removeValue(forKey: device)
    guard let rows = ledger.pages[device].open.last?.rows, let first = rows.first,
      let newestFirst = ledger.pages[device].terms?.newestFirst
    else { return }
    exercised += 1
    let orders: Set = [newestFirst, before ?? newestFirst]
    let isInOrder = orders.contains { newestFirst in
      zip(rows, rows.dropFirst()).allSatisfy { newestFirst ? $0 > $1 : $0 < $1 }
    }
    if !isInOrder {
      let uuid = ledger.pages[device].waiting[row: first]?.uuid
      return flag(context, uuid, "the records of request \(request.id) are not in order")
    }
    // Newer rows may have been inserted since a page was locked.
    if !orders.contains(true), let oldest = ledger.pages[device].waiting.all.first, oldest.row < first {
      flag(context, oldest.uuid, "skipped: request \(request.id) begins with a newer record")
    }
    let isKnown = rows.count == ledger.pages[device].open.last?.recordCount
    if newestFirst, before == nil, isKnown, let newest = newest(of: device, before: context.now.monotonic),
      newest.row > first
    {
      flag(context, newest.uuid, "skipped: request \(request.id) begins with an older record")
    }
  }

  /// Returns the newest record that was there when the rows were taken.
  private func newest(of device: Int, before now: MonotonicInstant) -> WaitingRecord? {
    ledger.pages[device].waiting.all.last { $0.createdAt < now - SentRequest.preparation - ledger.lateness }
  }
}
