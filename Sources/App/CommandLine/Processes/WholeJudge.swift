import Base
import FleetSimulator
import Scenario

/// Checks the sum of the shards so far against the thresholds that abort a run. No shard does that by
/// itself: a percentile of the whole is in none of them.
struct WholeJudge {
  /// The interval of interim results: a run ends within two seconds of the miss.
  static let interval = Nanoseconds.seconds(1)

  /// The thresholds by their index in a summary.
  private let endings: [Int: Threshold]
  /// The indexes of those that have ended the run.
  private(set) var missed: [Int] = []

  init(_ scenario: Scenario) {
    var endings: [Int: Threshold] = [:]
    let thresholds = scenario.thresholds.flatMap(\.thresholds)
    for thresholdIndex in thresholds.indices where thresholds[thresholdIndex].abortOnFail {
      endings[thresholdIndex] = thresholds[thresholdIndex]
    }
    self.endings = endings
  }

  var isNeeded: Bool { !endings.isEmpty && missed.isEmpty }

  /// Returns whether the drives must end.
  mutating func judge(_ shards: [RunSummary]) throws(MergeError) -> Bool {
    let whole = try RunSummary.whole(of: shards)
    for (place, threshold) in endings.sorted(by: { $0.key < $1.key })
    where threshold.delayAbortEval <= whole.ended && whole.thresholds[place].outcome == .failed {
      missed.append(place)
    }
    return !missed.isEmpty
  }
}
