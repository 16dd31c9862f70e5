import Scenario
import Upload

/// I8: a request holds one record without batches and at most `maxBatchSize` with them, and never none (SDK §8.2).
final class BatchBoundsRule: Rule {
  override class var invariant: Invariant { .batchBounds }
  override class var interest: Interest { .sent }

  override class var absence: String { "no records were sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .sent(let request) = event, request.purpose == .records else { return }
    exercised += 1
    if ledger.findings.isUnreadable { return flag(context, nil, "request \(request.id) holds no records") }
    let device = context.device
    guard let sent = ledger.pages[device].open.last, let terms = ledger.pages[device].terms else { return }
    if sent.recordCount == 0 { flag(context, nil, "request \(request.id) is empty") }
    if let limit = terms.recordsPerRequestMax, sent.recordCount > limit {
      flag(context, nil, "request \(request.id) holds \(sent.recordCount) records, more than \(limit)")
    }
  }
}
