import Scenario

/// I6: a record that reaches the server a second time has a cause: the answer was lost or unsuccessful, or the app ended
/// before it could delete the record (SDK §9.4).
final class ExplainedDuplicatesRule: Rule {
  override class var invariant: Invariant { .explainedDuplicates }
  override class var interest: Interest { .served }

  override class var absence: String { "no request came to the server" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .served(let request, _, _) = event else { return }
    exercised += 1
    for uuid in ledger.findings.unexplained {
      flag(context, uuid, "received again with request \(request), without a known cause")
    }
  }
}
