import Synchronization

/// Where the plan of a running server hangs. A server without rules pays one look at a flag for each request.
final class FaultBoard: Sendable {
  private let plan = Mutex(FaultPlan())
  private let hasRules = Atomic(false)

  var isEmpty: Bool { !hasRules.load(ordering: .acquiring) }

  func decide(_ request: FaultRequest, beforeBody: Bool) -> AppliedFault? {
    plan.withLock { $0.decide(request, beforeBody: beforeBody) }
  }

  func replace(_ rules: [FaultRule], of owner: String) {
    plan.withLock { plan in
      plan.replace(rules, of: owner)
      hasRules.store(!plan.isEmpty, ordering: .releasing)
    }
  }

  /// Takes the rules away that were set in this run, or all; says how many there were.
  func clear(run: String?) -> Int {
    plan.withLock { plan in
      let count = plan.clear(of: run)
      hasRules.store(!plan.isEmpty, ordering: .releasing)
      return count
    }
  }

  /// The rules that were set in this run, in their order, with their counts.
  func entries(of owner: String) -> [FaultPlan.Entry] {
    plan.withLock { $0.entries.filter { $0.rule.owner == owner } }
  }
}
