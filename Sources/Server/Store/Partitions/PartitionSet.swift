import Base
import Database

/// The partitions, and the choice of a record's partition. Owned by the writer.
final class PartitionSet {
  let connection: StoreConnection
  private let limits: StoreLimits
  /// In the order of their days.
  private(set) var live: [PointPartition] = []
  /// Retired partitions that are emptied in small steps, the oldest first.
  var dropping: [Int64] = []
  private var recent: PointPartition?
  private var parameters = ParameterMemory()

  init(on connection: StoreConnection, limits: StoreLimits) throws(DatabaseError) {
    self.connection = connection
    self.limits = limits
    try load()
  }

  private func load() throws(DatabaseError) {
    var rows: [(id: Int64, day: Int64, runs: Int64, indexed: Int64, from: Int64, to: Int64)] = []
    var given: [Int64] = []
    try connection.with(
      "SELECT id, day, is_dropping, runs, indexed, sweep_from, sweep_to FROM partitions ORDER BY day, id"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        let id = row.integer(at: 0)
        if row.integer(at: 2) == 1 {
          given.append(id)
        } else {
          rows.append(
            (id, row.integer(at: 1), row.integer(at: 3), row.integer(at: 4), row.integer(at: 5), row.integer(at: 6)))
        }
      }
    }
    dropping = given
    for row in rows {
      let partition = try PointPartition(
        id: row.id, day: row.day, runs: row.runs, indexed: row.indexed, sweepFrom: row.from, sweepTo: row.to,
        on: connection)
      partition.isShadowed = try isShadowed(row.day)
      live.append(partition)
    }
  }

  /// The last row of each partition.
  var marks: [ArrivalMark] {
    live.map { ArrivalMark(partition: $0.id, day: $0.day, end: $0.nextRow - 1) }
  }

  /// Called after a failure: numbers that sinks may have passed are not reused, even if their rows are gone.
  func number(behind marks: [ArrivalMark]) {
    for mark in marks { live.first { $0.id == mark.partition }?.number(behind: mark.end) }
  }

  func day(of recordedAt: Int64, now: Int64) -> Int64 { Day.of(recordedAt, now: now, daysAhead: limits.daysAhead) }

  /// Returns the partition of a record, created for the first record of a day.
  func partition(for recordedAt: Int64, now: Int64) throws(DatabaseError) -> PointPartition {
    let day = day(of: recordedAt, now: now)
    if let recent, recent.day == day { return recent }
    if let known = existing(day) {
      recent = known
      return known
    }
    let made = try make(day)
    recent = made
    return made
  }

  /// Returns the number of these parameters in a partition; nil for none.
  func number(ofParameters json: [UInt8], in partition: PointPartition) throws(DatabaseError) -> Int64? {
    if json.isEmpty { return nil }
    if let known = parameters.number(of: json, in: partition.id) { return known }
    let number = try partition.number(ofParameters: json)
    parameters.note(number, of: json, in: partition.id)
    return number
  }

  var odd: PointPartition? { live.first.flatMap { $0.day == Day.odd ? $0 : nil } }

  private func existing(_ day: Int64) -> PointPartition? {
    // It is almost always one of the last days.
    live.last { $0.day == day }
  }

  private func make(_ day: Int64) throws(DatabaseError) -> PointPartition {
    guard day == Day.odd || live.count < limits.partitions else {
      if let odd { return odd }
      return try make(Day.odd)
    }
    try connection.run("INSERT INTO partitions(day) VALUES(?1)", day)
    let id = connection.database.lastInsertedRowID
    try connection.database.execute(StoreSchema.partition(id))
    let made = try PointPartition(
      id: id, day: day, runs: 0, indexed: 0, sweepFrom: 0, sweepTo: -1, on: connection)
    made.isShadowed = try isShadowed(day)
    live.insert(made, at: live.firstIndex { $0.day > day } ?? live.count)
    return made
  }

  private func isShadowed(_ day: Int64) throws(DatabaseError) -> Bool {
    guard day != Day.odd, let odd else { return false }
    let range = Day.range(day)
    return try connection.first(
      "SELECT 1 FROM points_\(odd.id) WHERE recorded_at >= ?1 AND recorded_at < ?2 LIMIT 1",
      range.lowerBound, range.upperBound) != nil
  }

  /// Reports whether the record was stored before its day had a partition.
  func isInUndatedPartition(_ point: Point, device: Int64) throws(DatabaseError) -> Bool {
    guard let odd else { return false }
    return try connection.with(
      "SELECT 1 FROM points_\(odd.id) WHERE recorded_at = ?1 AND device = ?2 AND uuid = ?3"
    ) { (statement: inout Statement) throws(DatabaseError) in
      let uuid = point.uuid.bytes
      var row = statement.start()
      row.bind(1, point.recordedAt)
      row.bind(2, device)
      row.bind(3, blob: uuid.span)
      return try row.step()
    }
  }

  /// Notes that the partition of odd times has stored a record of this time.
  func noteOdd(_ recordedAt: Int64) {
    // No day has a partition of its own that early: the number of the first one is that of the odd times.
    guard recordedAt >= Day.milliseconds else { return }
    existing(recordedAt / Day.milliseconds)?.isShadowed = true
  }

  /// Marks all rows as possibly belonging to deleted devices.
  func markForSweeping() throws(DatabaseError) {
    for partition in live {
      partition.sweepFrom = 1
      partition.sweepTo = partition.nextRow - 1
      try connection.run(
        "UPDATE partitions SET sweep_from = 1, sweep_to = ?2 WHERE id = ?1", partition.id, partition.sweepTo)
    }
  }

  /// Retires a partition: its rows are no longer visible and are deleted step by step.
  func giveUp(_ partition: PointPartition) throws(DatabaseError) {
    try connection.run("UPDATE partitions SET is_dropping = 1 WHERE id = ?1", partition.id)
    live.removeAll { $0 === partition }
    dropping.append(partition.id)
    recent = nil
  }
}

extension PartitionSet {
  /// The rows deleted in one step: about 180 pages of points and their keys.
  private static let stepRows: Int64 = 2_048

  /// Retires a partition that is too old and has been forwarded to all sinks, or the oldest day when the data is too large.
  /// Returns whether it retired one. The newest day always stays.
  func retire(
    _ configuration: StoreConfiguration, _ sinks: SinkTable, now: Int64
  ) throws(DatabaseError) -> Bool {
    let expired = try expired(configuration, now: now)
    let free = expired.first { !sinks.isWaiting(for: $0) }
    if free == nil { sinks.hold(expired.count) }
    let surplus = free == nil ? try surplus(configuration) : nil
    guard let given = free ?? surplus else { return false }
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in try giveUp(given) }
    if free == nil { sinks.lose(given) }
    return true
  }

  private func expired(_ configuration: StoreConfiguration, now: Int64) throws(DatabaseError) -> [PointPartition] {
    guard let days = configuration.retainDays else { return [] }
    let first = now / Day.milliseconds - Int64(days)
    var expired: [PointPartition] = []
    for partition in live where partition.day < first {
      // Odd times say nothing about age: the time of arrival counts.
      if partition.day == Day.odd {
        let last =
          try connection.first(
            "SELECT received_at FROM points_\(partition.id) ORDER BY id DESC LIMIT 1") ?? .max
        guard last / Day.milliseconds < first else { continue }
      }
      expired.append(partition)
    }
    return expired
  }

  private func surplus(_ configuration: StoreConfiguration) throws(DatabaseError) -> PointPartition? {
    guard let limit = configuration.retainBytes, dropping.isEmpty, live.count > 1 else { return nil }
    let pages =
      try connection.database.integer("PRAGMA page_count") - connection.database.integer("PRAGMA freelist_count")
    guard try pages * connection.database.integer("PRAGMA page_size") > limit else { return nil }
    return live.dropLast().first { $0.day != Day.odd } ?? odd
  }

  /// Deletes some rows of a retired partition, and finally its tables. Freed pages are reused by new records, so that the file
  /// keeps its size. Returns whether there was work.
  func dropStep() throws(DatabaseError) -> Bool {
    guard let id = dropping.first else { return false }
    let remains = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      for (table, key) in [("points", "id"), ("parameters", "id"), ("runs", "run, device, recorded_at, point")] {
        let name = "\(table)_\(id)"
        try connection.database.execute(
          """
          DELETE FROM \(name) WHERE (\(key)) IN (SELECT \(key) FROM \(name) ORDER BY \(key) LIMIT \(Self.stepRows))
          """)
        if connection.database.changes == Self.stepRows { return true }
      }
      for table in ["points", "parameters", "runs"] { try connection.database.execute("DROP TABLE \(table)_\(id)") }
      try connection.run("DELETE FROM partitions WHERE id = ?1", id)
      try connection.run("DELETE FROM sink_positions WHERE part = ?1", id)
      return false
    }
    if !remains { dropping.removeFirst() }
    return true
  }

  /// Deletes some rows of deleted devices. Returns whether there was work.
  func sweepStep() throws(DatabaseError) -> Bool {
    guard let partition = live.first(where: { $0.sweepFrom <= $0.sweepTo }) else { return false }
    let from = partition.sweepFrom
    let through = min(partition.sweepTo, from + Self.stepRows - 1)
    let isEmpty = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      let points = "points_\(partition.id)"
      try connection.database.execute(
        """
        DELETE FROM \(points) WHERE id >= \(from) AND id <= \(through) AND device NOT IN (SELECT id FROM devices)
        """)
      try connection.run("UPDATE partitions SET sweep_from = ?2 WHERE id = ?1", partition.id, through + 1)
      guard through == partition.sweepTo else { return false }
      let isEmpty = try connection.database.integer("SELECT NOT EXISTS(SELECT 1 FROM \(points))") == 1
      if isEmpty { try giveUp(partition) }
      return isEmpty
    }
    if !isEmpty { partition.sweepFrom = through + 1 }
    return true
  }
}
