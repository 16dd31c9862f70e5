import Base
import Scenario

/// What a run could not judge is neither passed nor failed, and says why.
extension RunSummary {
  /// What only a look into the server's store can tell.
  private static let storageMetrics = [
    "records_lost", "duplicates_explained", "duplicates_unexplained", "duplicates_ratio",
  ]

  /// Without that look, thresholds on it are neither passed nor missed, and a zero is no figure.
  mutating func leaveStorageUnjudged() {
    guard verification.outcome != .verified else { return }
    func isSeen(_ name: String) -> Bool {
      if case .counter(let count)? = figure(name) { count > 0 } else { false }
    }
    let unknown = RunSummary.storageMetrics.filter { !isSeen($0) }
    for index in thresholds.indices where !thresholds[index].endedTheRun {
      guard unknown.contains(String(thresholds[index].selection.prefix { $0 != "{" })) else { continue }
      (thresholds[index].outcome, thresholds[index].value) = (.notJudged, nil)
      thresholds[index].reason = "storage not verified"
    }
    metrics.removeAll { unknown.contains($0.name) }
  }
}

/// Of runs at a real server, by the machine's clock.
extension RunSummary {
  /// Where the pace of the devices' clock, or a simulator that was late, would be blamed on somebody else.
  package mutating func leaveClockUnjudged() {
    guard place != nil else { return }
    leavePaceUnjudged()
    leaveLateUnjudged()
  }

  /// Seconds of the devices in a second of the machine.
  private var pace: Double {
    guard mode == ClockMode.accelerated.rawValue, let place, place.seconds > 0 else { return 1 }
    return max(1, ended.seconds / place.seconds)
  }

  /// On the clock of accelerated devices each second of a real server is many. A limit that is kept in spite of it is
  /// kept; one that is missed may be missed by the pace alone.
  private mutating func leavePaceUnjudged() {
    guard pace > 1 else { return }
    let reason =
      "a second of the server is about \(max(Int(pace.rounded()), 2)) s of the devices; a smaller factor judges it"
    for index in thresholds.indices where thresholds[index].outcome == .failed && thresholds[index].growsWithPace {
      (thresholds[index].outcome, thresholds[index].reason) = (.notJudged, reason)
    }
  }

  /// As late as that by their own clock, devices still keep all times that are asked of them.
  private static let latenessAllowed = 10.0

  /// Devices that had their turns late did late what was due: that is no fault of their SDK.
  private mutating func leaveLateUnjudged() {
    guard let milliseconds = figure("generator_lag")?.value(.maximum, seconds: ended.seconds) else { return }
    let lateness = milliseconds / 1_000 * pace
    guard lateness > RunSummary.latenessAllowed else { return }
    let reason = "the simulator was late by up to \(Int(lateness.rounded())) s of the devices"
    for index in invariants.indices where invariants[index].outcome == .violated && invariants[index].subject == .phone
    {
      (invariants[index].outcome, invariants[index].reason) = (.notJudged, reason)
      let name = invariants[index].name
      violations.removeAll { $0.invariant == name }
    }
  }
}
