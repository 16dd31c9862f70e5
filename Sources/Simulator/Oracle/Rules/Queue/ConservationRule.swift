import Queue
import Scenario
import Upload

/// I1: at any instant each record is in exactly one place. The ledger counts; this rule checks the events that contradict it.
final class ConservationRule: Rule {
  override class var invariant: Invariant { .conservation }
  override class var interest: Interest { [.queue, .sent] }

  override class var absence: String { "no record was made" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    exercised += 1
    switch event {
    case .queue(.deleted(_, let row, _)):
      if ledger.departed == nil { flag(context, nil, "row \(row) left the queue and was never in it") }
    case .sent(let request) where request.purpose == .records:
      for uuid in ledger.findings.strangers {
        flag(context, uuid, "request \(request.id) holds a record that is not in the queue")
      }
    default: break
    }
  }
}
