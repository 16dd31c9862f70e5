import Base
import Database

/// Requests of one run that the journal does not have, so that "there was none" cannot be told from it.
package struct JournalGap: Equatable, Sendable {
  /// Why they are missing.
  package enum Cause: Sendable {
    /// They came faster than they could be written, or the disk was full.
    case dropped
    /// They were the oldest, and gave way to later ones.
    case forgotten
    /// They were the last before the process was killed, and not written yet.
    case interrupted
  }

  package let cause: Cause
  /// Nil where it is not known.
  package let count: Int?
  /// When the last of them was received at the latest, in milliseconds since 1970.
  package let last: Int64

  package init(cause: Cause, count: Int?, last: Int64) {
    self.cause = cause
    self.count = count
    self.last = last
  }
}

/// Entries of one run that were not written.
package struct DroppedEntries: Equatable, Sendable {
  /// More runs are not told apart.
  static let runsMax = 10_000

  package internal(set) var count: Int64 = 0
  /// The latest time at which one of them was received.
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

/// What the journal remembers of a run, when its entries are gone, too.
struct JournaledRun: Equatable, Sendable {
  /// Runs that are remembered; those that began first are forgotten.
  static let runsMax = 10_000

  /// The number of its first entry; nil while there was none.
  var first: Int64?
  var dropped = DroppedEntries()
}

/// The last opening of the journal behind a process that had not closed it, whose last entries may be missing.
struct JournalInterruption: Equatable, Sendable {
  /// The number of the next entry.
  var next: Int64
  /// In milliseconds since 1970.
  var at: Int64
}

extension Journal {
  /// Notes that the journal is open, so that the next process sees whether this one has closed it.
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

  /// Says that nothing is missing that was recorded until now.
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

  /// Notes runs that begin in the batch, whose first entry gets the number `first`, and what was dropped. Gives what `runs` is then.
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

  /// A batch that could not be written is gone; the next that can says so.
  package func drop(_ batch: borrowing JournalBatch) {
    for (run, part) in batch.parts { unwritten.add(DroppedEntries(count: Int64(part.count), last: part.last), of: run) }
    for (run, entries) in batch.dropped { unwritten.add(entries, of: run) }
  }

  /// What is missing of the requests of a run that were received at `from` or later.
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

  /// The number with which the journal begins.
  private func beginning() throws(StoreError) -> Int64 {
    do {
      return try connection.database.integer("SELECT coalesce(min(first), \(Int64.max)) FROM blocks")
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }
}
