/// How far the records that a server has acknowledged were looked for where it keeps them.
package struct Verification: Equatable, Sendable {
  /// How it went.
  package enum Outcome: String, Sendable {
    /// Each of them was looked for.
    case verified
    /// There was no server to ask.
    case notAsked
    /// It was asked for and did not succeed.
    case failed
  }

  package var outcome: Outcome
  /// Positions and times were compared with those that were sent; else only the identities of records.
  package var comparesContents = false
  /// Why it did not succeed.
  package var reason: String?

  package init(_ outcome: Outcome, comparesContents: Bool = false, reason: String? = nil) {
    (self.outcome, self.comparesContents, self.reason) = (outcome, comparesContents, reason)
  }

  /// Of several shards: no better than that of the worst.
  package func joined(with other: Verification) -> Verification {
    if outcome == .failed { return self }
    if other.outcome == .failed { return other }
    if outcome == .notAsked { return self }
    if other.outcome == .notAsked { return other }
    return Verification(.verified, comparesContents: comparesContents && other.comparesContents)
  }
}

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
    }
    metrics.removeAll { unknown.contains($0.name) }
  }
}
