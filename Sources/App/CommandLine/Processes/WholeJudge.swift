import Base
import FleetSimulator
import Scenario

/// Holds what the shards of a run have come to so far, added up, against the thresholds that end it. No shard does that by
/// itself: a percentile of the whole is in none of them.
struct WholeJudge {
  /// How often shards tell what they have come to: a run ends within two seconds of the miss.
  static let interval = Nanoseconds.seconds(1)

  /// By their place in a summary.
  private let endings: [Int: Threshold]
  /// The places of those that have ended the run.
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

  /// Whether the drives have to end.
  mutating func judge(_ shards: [RunSummary]) throws(MergeError) -> Bool {
    let whole = try RunSummary.whole(of: shards)
    for (place, threshold) in endings.sorted(by: { $0.key < $1.key })
    where threshold.delayAbortEval <= whole.ended && whole.thresholds[place].outcome == .failed {
      missed.append(place)
    }
    return !missed.isEmpty
  }
}
