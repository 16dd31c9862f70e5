import Database

/// Builds the index by device, one run at a time: a range of rows is read in order of arrival, sorted in memory, and appended
/// after the earlier runs of its partition. Each page of the index is written once, in order; an index updated row by row would
/// write a page for each row.
struct RunBuilder {
  private struct Entry: Comparable {
    let device: Int64
    let recordedAt: Int64
    let point: Int64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.device, left.recordedAt, left.point) < (right.device, right.recordedAt, right.point)
    }
  }

  /// The rows read, or entries written, in one step.
  private static let stepRows = 8_192
  /// A shorter tail is not indexed: queries scan it in less than a millisecond.
  private static let smallestRun: Int64 = 1_024
  private static let quietMilliseconds: Int64 = 60_000

  private var partition: PointPartition?
  /// The last row of the current run.
  private var end: Int64 = 0
  private var entries: [Entry] = []
  private var read: Int64 = 0
  private var written = 0

  /// Returns whether there was work.
  mutating func step(_ partitions: PartitionSet, limits: StoreLimits, now: Int64) throws(DatabaseError) -> Bool {
    guard let partition, partitions.live.contains(where: { $0 === partition }) else {
      return try begin(partitions, limits: limits, now: now)
    }
    if read < end {
      try readStep(partition, on: partitions.connection)
    } else {
      try writeStep(partition, on: partitions.connection)
    }
    return true
  }

  private mutating func begin(
    _ partitions: PartitionSet, limits: StoreLimits, now: Int64
  ) throws(DatabaseError) -> Bool {
    partition = nil
    let today = now / Day.milliseconds
    for candidate in partitions.live {
      let tail = candidate.nextRow - 1 - candidate.indexed
      let isOver = candidate.day < today && now - candidate.lastReceived >= RunBuilder.quietMilliseconds
      guard tail >= limits.indexRunRows || isOver && tail >= RunBuilder.smallestRun else { continue }
      // Remove a run that was incomplete when the process ended.
      try partitions.connection.database.execute("DELETE FROM runs_\(candidate.id) WHERE run >= \(candidate.runs)")
      partition = candidate
      read = candidate.indexed
      end = candidate.indexed + min(tail, Int64(limits.indexRunRows))
      entries.removeAll(keepingCapacity: true)
      written = 0
      return true
    }
    return false
  }

  private mutating func readStep(_ partition: PointPartition, on connection: StoreConnection) throws(DatabaseError) {
    let last = min(end, read + Int64(RunBuilder.stepRows))
    var statement = try connection.database.prepare(
      "SELECT device, recorded_at, id FROM points_\(partition.id) WHERE id > ?1 AND id <= ?2")
    var row = statement.start()
    row.bind(1, read)
    row.bind(2, last)
    while try row.step() {
      entries.append(
        Entry(device: row.integer(at: 0), recordedAt: row.integer(at: 1), point: row.integer(at: 2)))
    }
    read = last
    if read == end { entries.sort() }
  }

  private mutating func writeStep(_ partition: PointPartition, on connection: StoreConnection) throws(DatabaseError) {
    let upTo = min(entries.count, written + RunBuilder.stepRows)
    let isLast = upTo == entries.count
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      var statement = try connection.database.prepare("INSERT INTO runs_\(partition.id) VALUES(?1, ?2, ?3, ?4)")
      for entry in entries[written..<upTo] {
        var row = statement.start()
        row.bind(1, partition.runs)
        row.bind(2, entry.device)
        row.bind(3, entry.recordedAt)
        row.bind(4, entry.point)
        try row.run()
      }
      guard isLast else { return }
      try connection.run("UPDATE partitions SET runs = runs + 1, indexed = ?2 WHERE id = ?1", partition.id, end)
    }
    written = upTo
    guard isLast else { return }
    partition.runs += 1
    partition.indexed = end
    self.partition = nil
  }
}
