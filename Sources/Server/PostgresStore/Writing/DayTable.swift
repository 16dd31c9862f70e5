import Base
import Database
import Store

/// The days that have a partition, as a node remembers them. Other nodes make and drop days too: each group checks whether any has
/// changed.
final class DayTable {
  typealias Failure = PostgresConnection.Failure

  /// With 0, that of odd times.
  var all: Set<Int64> = []
  /// The count of changes that `all` belongs to; nil before it was read.
  private(set) var changes: Int64?

  func forget() { changes = nil }

  /// The days of the records of these jobs.
  static func needed(by jobs: some Sequence<StoreJob>, now: Int64, _ limits: StoreLimits) -> Set<Int64> {
    var needed: Set<Int64> = []
    var last: Int64?
    for case .ingest(let batch) in jobs {
      for point in batch.points {
        let day = Day.of(point.recordedAt, now: now, daysAhead: limits.daysAhead)
        if day != last { needed.insert(day) }
        last = day
      }
    }
    return needed
  }

  /// Makes the partitions that the jobs need, each in a transaction of its own unless one has begun: a group that waits for another
  /// one's partition, or that fails, takes none of them along. Beyond the limit days share the partition of odd times.
  func make(for jobs: [StoreJob], now: Int64, _ limits: StoreLimits, on connection: PostgresConnection) throws(Failure)
  {
    if changes == nil { try read(connection) }
    let missing = missing(for: jobs, now: now, limits)
    guard !missing.isEmpty else { return }
    for day in missing {
      var arguments = PostgresArguments()
      arguments.add(day)
      _ = try connection.perform("SELECT make_day($1::int8)", arguments)
    }
    try read(connection)
    // Another node has dropped one again: the look at the installation shall find that out.
    if !self.missing(for: jobs, now: now, limits).isEmpty { forget() }
  }

  /// Those that these jobs need and that are to be made: the latest first, and as many as the limit leaves room for.
  private func missing(for jobs: [StoreJob], now: Int64, _ limits: StoreLimits) -> [Int64] {
    let missing = DayTable.needed(by: jobs, now: now, limits).subtracting(all)
    let days = missing.subtracting([Day.odd]).sorted(by: >)
    let made = days.prefix(max(0, limits.partitions - all.count))
    let needsOdd = missing.contains(Day.odd) || made.count < days.count && !all.contains(Day.odd)
    return made + (needsOdd ? [Day.odd] : [])
  }

  /// Within a transaction whose look at the installation has shown that another node has made or dropped a day. False when the jobs
  /// need one that has to be made first.
  func catchUp(for jobs: [StoreJob], now: Int64, _ limits: StoreLimits, on connection: PostgresConnection)
    throws(Failure)
    -> Bool
  {
    try read(connection)
    return missing(for: jobs, now: now, limits).isEmpty
  }

  private func read(_ connection: PostgresConnection) throws(Failure) {
    // Not the other way round: a change between the two must show.
    let changes = try connection.dayChanges()
    let days = try connection.perform("SELECT day FROM partitions")
    all = Set((0..<days.count).map { days.integer($0, 0) })
    self.changes = changes
  }
}
