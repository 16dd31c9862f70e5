import Queue
import Scenario
import Vocabulary

/// I2: a record leaves the queue as delivered only when the device has read a complete success answer to a request with that
/// record (SDK §9.1).
final class NoDeleteBeforeAckRule: Rule {
  override class var invariant: Invariant { .noDeleteBeforeAck }
  override class var interest: Interest { .deleted }

  override class var absence: String { "no record was delivered" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .queue(.deleted(_, let row, .upload)) = event, let record = ledger.departed else { return }
    exercised += 1
    guard let answer = ledger.pages[context.device].answer, answer.instant == context.now.monotonic else {
      return flag(context, record.uuid, "deleted as delivered before any answer")
    }
    if !answer.isSuccess {
      flag(context, record.uuid, "deleted as delivered on status \(answer.status) to request \(answer.request)")
    } else if !answer.rows.contains(row) {
      flag(context, record.uuid, "deleted as delivered by request \(answer.request), which did not hold it")
    }
  }
}
