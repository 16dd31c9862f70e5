/// The extent to which acknowledged records were looked up in the server's store.
package struct Verification: Equatable, Sendable {
  /// The outcome of the verification.
  package enum Outcome: String, Sendable {
    /// Each of them was looked up.
    case verified
    /// There was no server to query.
    case notAsked
    /// It was requested and failed.
    case failed
  }

  /// The reason why what depends on the store was not judged.
  package static let unverified = "storage not verified"

  package var outcome: Outcome
  /// Whether positions and times were compared with those that were sent; otherwise only identities were.
  package var comparesContents = false
  /// The fields among `timestamp`, `latitude` and `longitude` that no entry of the store has shown.
  package var uncompared: [String] = []
  /// The number of stored times in a form that cannot be compared, such as without a time zone.
  package var unreadTimes = 0
  /// The number of duplicate messages, with an id that was there already; their consumers must ignore them.
  package var repetitions = 0
  /// The number of rows of the run's devices that no phone of the run has sent: from an earlier run, or invented.
  package var unknownRows = 0
  /// The number of rows under devices of other shards that hold records of this one; those shards do not know them.
  package var rowsElsewhere = 0
  /// The number of acknowledged records that were absent at first and appeared during the search.
  package var lateRecords = 0
  /// Why the verification failed.
  package var reason: String?

  package init(
    _ outcome: Outcome, comparesContents: Bool = false, uncompared: [String] = [], unreadTimes: Int = 0,
    repetitions: Int = 0,
    unknownRows: Int = 0, rowsElsewhere: Int = 0, lateRecords: Int = 0, reason: String? = nil
  ) {
    (self.outcome, self.comparesContents, self.reason) = (outcome, comparesContents, reason)
    self.uncompared = uncompared
    (self.unreadTimes, self.repetitions) = (unreadTimes, repetitions)
    (self.unknownRows, self.rowsElsewhere, self.lateRecords) = (unknownRows, rowsElsewhere, lateRecords)
  }

  /// Combines the verifications of shards; the worst outcome counts.
  package func joined(with other: Verification) -> Verification {
    if outcome == .failed { return self }
    if other.outcome == .failed { return other }
    if outcome == .notAsked && other.outcome == .notAsked {
      var joined = self
      joined.reason = [reason, other.reason].compactMap(\.self).min()
      return joined
    }
    if outcome == .notAsked { return self }
    if other.outcome == .notAsked { return other }
    return Verification(
      .verified, comparesContents: comparesContents && other.comparesContents,
      uncompared: uncompared.filter(other.uncompared.contains),
      unreadTimes: unreadTimes + other.unreadTimes,
      // Each shard has read the whole stream.
      repetitions: max(repetitions, other.repetitions), unknownRows: unknownRows + other.unknownRows,
      rowsElsewhere: rowsElsewhere + other.rowsElsewhere,
      lateRecords: lateRecords + other.lateRecords)
  }
}
