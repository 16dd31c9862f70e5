import Base
import Scenario
import Upload
import Vocabulary

/// I8: a request holds one record without batches and at most `maxBatchSize` with them, all that wait without such a limit, and
/// never none (HttpConfig 204, 260; SDK §8.2, §8.4).
final class BatchBoundsRule: Rule {
  override class var invariant: Invariant { .batchBounds }
  override class var interest: Interest { [.sent, .life] }

  /// The times of the last refresh and of the last configuration, before which rows may have been taken (SDK §9.2).
  private var takenBefore: [Int: MonotonicInstant] = [:]

  override class var absence: String { "no records were sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    if case .configured = event { takenBefore[context.device] = context.now.monotonic }
    guard case .sent(let request) = event else { return }
    if request.purpose == .refresh { takenBefore[context.device] = context.now.monotonic }
    guard request.purpose == .records else { return }
    exercised += 1
    if ledger.findings.isUnreadable { return flag(context, nil, "request \(request.id) holds no records") }
    let device = context.device
    guard let sent = ledger.pages[device].open.last, let terms = ledger.pages[device].terms else { return }
    if sent.recordCount == 0 { flag(context, nil, "request \(request.id) is empty") }
    if let limit = terms.recordsPerRequestMax, sent.recordCount > limit {
      flag(context, nil, "request \(request.id) holds \(sent.recordCount) records, more than \(limit)")
    }
    if terms.recordsPerRequestMax == nil { judgeRest(of: request, sent, context) }
  }

  /// Judges an upload that leaves records behind, although there is no limit.
  private func judgeRest(of request: OutgoingRequest, _ sent: SentRequest, _ context: EventContext) {
    let page = ledger.pages[context.device]
    let early = context.now.monotonic - SentRequest.preparation - ledger.lateness
    guard sent.recordCount < page.waiting.count, let triggeredAt = request.payload?.triggeredAt,
      takenBefore[context.device].map({ $0 < triggeredAt && $0 < early }) ?? true
    else { return }
    let old = page.waiting.all.count { $0.createdAt < early }
    guard sent.recordCount < old else { return }
    flag(context, nil, "request \(request.id) holds \(sent.recordCount) of \(page.waiting.count) records that wait")
  }
}
