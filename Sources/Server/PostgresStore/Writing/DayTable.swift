import Base
import Database
import Store

/// A node's cache of the days that have a partition. Other nodes make and drop days too: each group checks whether any has
/// changed.
final class DayTable {
  typealias Failure = PostgresConnection.Failure

  /// Includes 0, the partition of odd times.
  var all: Set<Int64> = []
  /// The count of changes that `all` corresponds to; nil before it was read.
  private(set) var changes: Int64?

  func forget() { changes = nil }

  /// Returns the days of the records of these jobs.
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

  /// Makes the partitions that the jobs need, each in a separate transaction unless one is open, so that a group that waits for
  /// another's partition, or fails, does not affect them. Above the limit days share the partition of odd times.
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
    // Another node has dropped one again: the group's check of the installation must detect that.
    if !self.missing(for: jobs, now: now, limits).isEmpty { forget() }
  }

  /// Returns the days that these jobs need and that must be made: the latest first, up to the limit.
  private func missing(for jobs: [StoreJob], now: Int64, _ limits: StoreLimits) -> [Int64] {
    let missing = DayTable.needed(by: jobs, now: now, limits).subtracting(all)
    let days = missing.subtracting([Day.odd]).sorted(by: >)
    let made = days.prefix(max(0, limits.partitions - all.count))
    let needsOdd = missing.contains(Day.odd) || made.count < days.count && !all.contains(Day.odd)
    return made + (needsOdd ? [Day.odd] : [])
  }

  /// Called within a transaction whose check of the installation has shown that another node has made or dropped a day. Returns
  /// false when the jobs need a day that must be made first.
  func catchUp(for jobs: [StoreJob], now: Int64, _ limits: StoreLimits, on connection: PostgresConnection)
    throws(Failure)
    -> Bool
  {
    try read(connection)
    return missing(for: jobs, now: now, limits).isEmpty
  }

  private func read(_ connection: PostgresConnection) throws(Failure) {
    // In this order, so that a change between the two is detected.
    let changes = try connection.dayChanges()
    let days = try connection.perform("SELECT day FROM partitions")
    all = Set((0..<days.count).map { days.integer($0, 0) })
    self.changes = changes
  }
}
