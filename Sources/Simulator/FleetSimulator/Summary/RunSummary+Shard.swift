extension RunSummary {
  /// A part of a run says nothing of what is asked of the whole, unless it was ended by it.
  package mutating func leaveThresholdsToTheWhole() {
    for index in thresholds.indices where !thresholds[index].endedTheRun { thresholds[index].outcome = .notMeasured }
  }
}
