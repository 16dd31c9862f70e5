import Base
import Oracle
import Scenario

/// Marks everything that a run could not judge as neither passed nor failed, with the reason.
extension RunSummary {
  /// Whether arrivals at the server, and repeated ones among them, are visible; at an external server they are not.
  package var seesArrivals: Bool { mode == ClockMode.virtual.rawValue }

  /// Marks thresholds on unseen values as not judged and removes their figures: repeated arrivals at an external server and,
  /// without a look into its store, what only the store shows.
  mutating func leaveUnseenUnjudged() {
    if !seesArrivals {
      leaveUnjudged(Measure.ofArrivals, "repeated arrivals at an external server are not visible")
    }
    guard verification.outcome != .verified else { return }
    func isSeen(_ name: String) -> Bool {
      if case .counter(let count)? = figure(name) { count > 0 } else { false }
    }
    leaveUnjudged(Measure.ofStorage.filter { !isSeen($0.metric.name) }, Verification.unverified)
  }

  private mutating func leaveUnjudged(_ measures: [Measure], _ reason: String) {
    let unknown = measures.map(\.metric.name)
    for index in thresholds.indices where !thresholds[index].endedTheRun {
      guard let metric = thresholds[index].selector?.metric, unknown.contains(metric.name) else { continue }
      (thresholds[index].outcome, thresholds[index].value) = (.notJudged, nil)
      thresholds[index].reason = reason
    }
    metrics.removeAll { unknown.contains($0.name) }
  }
}

/// Runs against a real server, in real time.
extension RunSummary {
  /// Marks violations by phones as not judged where devices had their turns late by the machine's clock, which is not a
  /// fault of their SDK.
  package mutating func leaveLateUnjudged() {
    guard let place, let milliseconds = figure("generator_lag")?.value(.maximum, seconds: ended.seconds) else {
      return
    }
    let lateness = milliseconds / 1_000 * place.factor
    guard lateness > JudgedRun.latenessMost.seconds else { return }
    let reason = "the simulator was late by up to \(Int(lateness.rounded())) s of the devices"
    for index in invariants.indices where invariants[index].outcome == .violated && invariants[index].subject == .phone
    {
      (invariants[index].outcome, invariants[index].reason) = (.notJudged, reason)
      let name = invariants[index].name
      violations.removeAll { $0.invariant == name }
    }
  }
}
