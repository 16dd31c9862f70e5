import Scenario
import Upload

/// I5: a record is rendered once, when it is queued; every request carries the same bytes (SDK §7.2).
final class ByteIdentityRule: Rule {
  override class var invariant: Invariant { .byteIdentity }
  override class var interest: Interest { .sent }

  override class var absence: String { "no records were sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .sent(let request) = event, request.purpose == .records else { return }
    exercised += 1
    for uuid in ledger.findings.changed {
      flag(context, uuid, "request \(request.id) carries bytes that differ from those queued")
    }
  }
}
