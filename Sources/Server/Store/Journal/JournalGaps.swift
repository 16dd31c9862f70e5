import Base
import Database

/// Requests of one run that are missing in the journal, so that their absence proves nothing.
package struct JournalGap: Equatable, Sendable {
  /// Why they are missing.
  package enum Cause: Sendable {
    /// They arrived faster than they could be written, or the disk was full.
    case dropped
    /// They were the oldest, and were deleted to make room.
    case forgotten
    /// They were not written yet when the process was killed.
    case interrupted
  }

  package let cause: Cause
  /// The number of missing requests; nil when unknown.
  package let count: Int?
  /// The latest possible arrival time of the last of them, in milliseconds since 1970.
  package let last: Int64

  package init(cause: Cause, count: Int?, last: Int64) {
    self.cause = cause
    self.count = count
    self.last = last
  }
}

/// Entries of one run that were not written.
package struct DroppedEntries: Equatable, Sendable {
  /// The number of runs counted separately; entries of further runs are not attributed.
  static let runsMax = 10_000

  package internal(set) var count: Int64 = 0
  /// The latest arrival time among them.
  package internal(set) var last = Int64.min

  mutating func add(_ other: DroppedEntries) {
    count += other.count
    last = max(last, other.last)
  }
}

extension [ExactText: DroppedEntries] {
  mutating func add(_ entries: DroppedEntries, of run: ExactText) {
    guard count < DroppedEntries.runsMax || self[run] != nil else { return }
    self[run, default: DroppedEntries()].add(entries)
  }
}

/// The state of a run, kept even after its entries are deleted.
struct JournaledRun: Equatable, Sendable {
  /// The number of runs kept; those that began first are removed.
  static let runsMax = 10_000

  /// The number of its first entry; nil when it has none yet.
  var first: Int64?
  var dropped = DroppedEntries()
}

/// The last time that the journal was opened after a process that had not closed it, so that its last entries may be missing.
struct JournalInterruption: Equatable, Sendable {
  /// The number of the next entry.
  var next: Int64
  /// In milliseconds since 1970.
  var at: Int64
}

extension Journal {
  /// Marks the journal as open, so that the next process detects whether this one has closed it.
  static func open(_ connection: StoreConnection, at now: WallInstant) throws(DatabaseError) -> JournalInterruption {
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      try connection.run(
        "UPDATE opening SET interrupted_next = (SELECT next FROM numbering), interrupted_at = ?1 WHERE is_open = 1",
        now.millisecondsSince1970)
      try connection.database.execute("UPDATE opening SET is_open = 1")
      return JournalInterruption(
        next: try connection.database.integer("SELECT interrupted_next FROM opening"),
        at: try connection.database.integer("SELECT interrupted_at FROM opening"))
    }
  }

  /// Marks the journal as closed: nothing recorded until now is missing.
  package func close() throws(StoreError) {
    do { try connection.database.execute("UPDATE opening SET is_open = 0") } catch {
      throw StoreError(error, opening: "the journal")
    }
  }

  static func runs(_ connection: StoreConnection) throws(DatabaseError) -> [ExactText: JournaledRun] {
    var runs: [ExactText: JournaledRun] = [:]
    try connection.with(
      "SELECT run, first, dropped, dropped_last FROM runs"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        let dropped = DroppedEntries(count: row.integer(at: 2), last: row.integer(at: 3))
        let first = row.integer(at: 1)
        runs[ExactText(row.text(at: 0))] = JournaledRun(first: first == 0 ? nil : first, dropped: dropped)
      }
    }
    return runs
  }

  /// Saves the runs that begin in the batch, whose first entry gets the number `first`, and the dropped entries. Returns the
  /// new value of `runs`.
  func note(_ batch: borrowing JournalBatch, first: Int64) throws(DatabaseError) -> [ExactText: JournaledRun] {
    var changed: [ExactText: JournaledRun] = [:]
    for (run, part) in batch.parts where runs[run]?.first == nil {
      changed[run, default: runs[run] ?? JournaledRun()].first = first + Int64(part.first)
    }
    for dropped in [unwritten, batch.dropped] {
      for (run, entries) in dropped { changed[run, default: runs[run] ?? JournaledRun()].dropped.add(entries) }
    }
    guard !changed.isEmpty else { return runs }
    for (run, note) in changed {
      try connection.with(
        "INSERT OR REPLACE INTO runs(run, first, dropped, dropped_last) VALUES(?1, ?2, ?3, ?4)"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: run.text.utf8.span)
        row.bind(2, note.first ?? 0)
        row.bind(3, note.dropped.count)
        row.bind(4, note.dropped.last)
        try row.run()
      }
    }
    var noted = runs.merging(changed) { $1 }
    if noted.count > JournaledRun.runsMax {
      let oldest = noted.sorted { $0.value.first ?? .max < $1.value.first ?? .max }
      for (run, _) in oldest.prefix(noted.count - JournaledRun.runsMax / 2) {
        try connection.run("DELETE FROM runs WHERE run = ?1", text: run.text)
        noted[run] = nil
      }
    }
    return noted
  }

  /// Counts a batch that could not be written as dropped; the next batch that is written saves the counts.
  package func drop(_ batch: borrowing JournalBatch) {
    for (run, part) in batch.parts { unwritten.add(DroppedEntries(count: Int64(part.count), last: part.last), of: run) }
    for (run, entries) in batch.dropped { unwritten.add(entries, of: run) }
  }

  /// Returns the gaps among the requests of a run that were received at `from` or later.
  package func gaps(of run: String, from: Int64) throws(StoreError) -> [JournalGap] {
    let run = ExactText(run)
    let note = runs[run] ?? JournaledRun()
    var dropped = note.dropped
    if let more = unwritten[run] { dropped.add(more) }
    var gaps: [JournalGap] = []
    if dropped.count > 0, dropped.last >= from {
      gaps.append(JournalGap(cause: .dropped, count: Int(clamping: dropped.count), last: dropped.last))
    }
    if let first = note.first {
      if try first < beginning(), totals.forgottenLast >= from {
        gaps.append(JournalGap(cause: .forgotten, count: nil, last: totals.forgottenLast))
      }
      if first < interruption.next, interruption.at >= from {
        gaps.append(JournalGap(cause: .interrupted, count: nil, last: interruption.at))
      }
    }
    return gaps
  }

  /// Returns the number of the first entry in the journal.
  private func beginning() throws(StoreError) -> Int64 {
    do {
      return try connection.database.integer("SELECT coalesce(min(first), \(Int64.max)) FROM blocks")
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }
}
