extension RunSummary {
  /// What the run says of what it drove at; the first that applies.
  package enum Result: Int32, Sendable {
    case passed = 0
    /// The figures mean nothing.
    case invalid = 97
    /// Something happened that must never happen.
    case violated = 98
    /// The server is not good enough.
    case failed = 99
    /// It was stopped from outside.
    case stopped = 105
    /// What must come up for a green result to mean something has not.
    case uncovered = 110
  }

  /// A lost record is lost whatever else is wrong with a run; figures of a run that was cut off or late say nothing.
  package var result: Result {
    let isRight =
      !findings.contains(where: \.isViolation) && violations.isEmpty && ledger.isBalanced && ledger.lost == 0
      && ledger.duplicateRows == 0
    if !isRight || invariants.contains(where: { $0.outcome == .violated }) { return .violated }
    if ending == .signal { return .stopped }
    if verification.outcome == .failed { return .invalid }
    let missed = thresholds.filter { $0.outcome == .failed }
    if missed.contains(where: \.invalidates) { return .invalid }
    if !missed.isEmpty || !findings.isEmpty { return .failed }
    return coverage.contains { $0.seen == 0 } ? .uncovered : .passed
  }
}
