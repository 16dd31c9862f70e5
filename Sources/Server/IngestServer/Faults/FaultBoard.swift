import Synchronization

/// Where the plan of a running server hangs. A server without rules pays one look at a flag for each request.
final class FaultBoard: Sendable {
  private let plan = Mutex(FaultPlan())
  private let directed = Mutex<ServerFault?>(nil)
  private let hasRules = Atomic(false)
  private let hasTags = Atomic(false)

  var isEmpty: Bool { !hasRules.load(ordering: .acquiring) }

  /// Meets one request, before any rule.
  func direct(_ fault: ServerFault?) {
    directed.withLock { $0 = fault }
    hasRules.store(fault != nil || plan.withLock { !$0.isEmpty }, ordering: .releasing)
  }

  /// Whether a rule wants to know the tags of the device.
  var asksForTags: Bool { hasTags.load(ordering: .acquiring) }

  func decide(_ request: FaultRequest, beforeBody: Bool) -> AppliedFault? {
    let direct: ServerFault? = directed.withLock { fault in
      guard fault?.kind.isBeforeBody == beforeBody else { return nil }
      defer { fault = nil }
      return fault
    }
    if let direct { return AppliedFault(directed: direct) }
    return plan.withLock { $0.decide(request, beforeBody: beforeBody) }
  }

  func replace(_ rules: [FaultRule], of owner: String) {
    plan.withLock { plan in
      plan.replace(rules, of: owner)
      hasRules.store(!plan.isEmpty, ordering: .releasing)
      hasTags.store(plan.entries.contains { $0.rule.match.tag != nil }, ordering: .releasing)
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

  /// The rules that were set in this run, or in any, in their order, with their counts.
  func entries(of owner: String?) -> [FaultPlan.Entry] {
    plan.withLock { plan in plan.entries.filter { owner == nil || $0.rule.owner == owner } }
  }
}
