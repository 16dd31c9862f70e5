import Base
import Database

extension SQLiteReader {
  private struct Stretch {
    let partition: Int64
    let day: Int64
    let runs: Int64
    let indexed: Int64
  }

  package func history(
    of device: DeviceIdentity, from: Int64, to: Int64, after cursor: PointCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor> {
    precondition(limit > 0, "a page of nothing never ends")
    return try ask { () throws(DatabaseError) in
      guard let id = try identifier(of: device) else { return Page(elements: [], next: nil) }
      let after = max(cursor ?? .start, PointCursor(before: from))
      // One more than requested shows whether there is a next page.
      let found = try places(of: id, after: after, to: to, limit: limit + 1)
      let points = try found.prefix(limit).map { (place) throws(DatabaseError) in try point(at: place) }
      return Page(elements: points, next: found.count > limit ? found[limit - 1] : nil)
    }
  }

  private func places(
    of device: Int64, after: PointCursor, to: Int64, limit: Int
  ) throws(DatabaseError) -> [PointCursor] {
    var found: [PointCursor] = []
    for stretch in try stretches() {
      // Days do not overlap, and the partition of odd times comes first: when the page is full, later days are not needed.
      if stretch.day != Day.odd {
        let range = Day.range(stretch.day)
        guard range.upperBound > after.recordedAt, range.lowerBound < to else { continue }
        if found.count == limit, let last = found.last, last.recordedAt < range.lowerBound { break }
      }
      try collect(device, in: stretch, after: after, to: to, limit: limit, into: &found)
    }
    return found
  }

  private func stretches() throws(DatabaseError) -> [Stretch] {
    try connection.with(
      "SELECT id, day, runs, indexed FROM partitions WHERE is_dropping = 0 ORDER BY day"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var stretches: [Stretch] = []
      var row = statement.start()
      while try row.step() {
        stretches.append(
          Stretch(
            partition: row.integer(at: 0), day: row.integer(at: 1), runs: row.integer(at: 2),
            indexed: row.integer(at: 3)))
      }
      return stretches
    }
  }

  /// Merges the first places of one partition into `found`, which stays sorted and at most `limit` long.
  private func collect(
    _ device: Int64, in stretch: Stretch, after: PointCursor, to: Int64, limit: Int, into found: inout [PointCursor]
  ) throws(DatabaseError) {
    let lower = after.lowerBound(in: stretch.partition)
    for run in 0..<stretch.runs {
      // A full page accepts only places before its last one.
      let end = found.count == limit ? min(to, found[limit - 1].recordedAt + 1) : to
      let places = try entries(device, run, stretch.partition, lower, to: end, limit: limit)
      found.merge(places, limit: limit)
    }
    found.merge(try tail(device, stretch, lower, to: to), limit: limit)
  }

  private func entries(
    _ device: Int64, _ run: Int64, _ partition: Int64, _ lower: (recordedAt: Int64, row: Int64), to: Int64, limit: Int
  ) throws(DatabaseError) -> [PointCursor] {
    try connection.with(
      """
      SELECT recorded_at, point FROM runs_\(partition)
      WHERE run = ?1 AND device = ?2 AND (recorded_at, point) > (?3, ?4) AND recorded_at < ?5
      ORDER BY recorded_at, point LIMIT ?6
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, run)
      row.bind(2, device)
      row.bind(3, lower.recordedAt)
      row.bind(4, lower.row)
      row.bind(5, to)
      row.bind(6, Int64(limit))
      var places: [PointCursor] = []
      while try row.step() {
        places.append(PointCursor(recordedAt: row.integer(at: 0), group: partition, row: row.integer(at: 1)))
      }
      return places
    }
  }

  /// Returns the rows that no run covers yet, few and found by number: the plus keeps SQLite from using the index by time.
  private func tail(
    _ device: Int64, _ stretch: Stretch, _ lower: (recordedAt: Int64, row: Int64), to: Int64
  ) throws(DatabaseError) -> [PointCursor] {
    try connection.with(
      """
      SELECT recorded_at, id FROM points_\(stretch.partition)
      WHERE id > ?1 AND device = ?2 AND (+recorded_at, id) > (?3, ?4) AND +recorded_at < ?5
      ORDER BY +recorded_at, id
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, stretch.indexed)
      row.bind(2, device)
      row.bind(3, lower.recordedAt)
      row.bind(4, lower.row)
      row.bind(5, to)
      var places: [PointCursor] = []
      while try row.step() {
        places.append(
          PointCursor(recordedAt: row.integer(at: 0), group: stretch.partition, row: row.integer(at: 1)))
      }
      return places
    }
  }

  private func point(at place: PointCursor) throws(DatabaseError) -> StoredPoint {
    try connection.with(
      """
      SELECT uuid, received_at, latitude, longitude, accuracy, speed, heading, is_moving, event, record, json
      FROM points_\(place.group) AS point
      LEFT JOIN parameters_\(place.group) AS parameters ON parameters.id = point.parameters WHERE point.id = ?1
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, place.row)
      let isThere = try row.step()
      precondition(isThere, "the index names a row that is not there")
      return StoredPoint(
        cursor: place, uuid: row.uuid(at: 0), recordedAt: place.recordedAt, receivedAt: row.integer(at: 1),
        latitude: row.optionalDouble(at: 2), longitude: row.optionalDouble(at: 3),
        accuracy: row.optionalDouble(at: 4), speed: row.optionalDouble(at: 5), heading: row.optionalDouble(at: 6),
        isMoving: row.optionalInteger(at: 7).map { $0 == 1 }, event: row.optionalText(at: 8),
        record: row.blob(at: 9), parameters: row.blob(at: 10))
    }
  }
}

extension PointCursor {
  fileprivate static let start = PointCursor(recordedAt: .min, group: 0, row: 0)

  fileprivate init(before recordedAt: Int64) {
    self.init(recordedAt: recordedAt == .min ? .min : recordedAt - 1, group: .max, row: .max)
  }

  /// Returns this cursor as a lower bound in another partition: the time and row after which its places follow.
  fileprivate func lowerBound(in other: Int64) -> (recordedAt: Int64, row: Int64) {
    (recordedAt, other == group ? row : other > group ? -1 : .max)
  }
}

extension [PointCursor] {
  /// Merges two sorted lists and keeps the first `limit` elements.
  fileprivate mutating func merge(_ others: [PointCursor], limit: Int) {
    if others.isEmpty { return }
    let isBehind = isEmpty || self[count - 1] < others[0]
    append(contentsOf: others)
    if !isBehind { sort() }
    if count > limit { removeLast(count - limit) }
  }
}
