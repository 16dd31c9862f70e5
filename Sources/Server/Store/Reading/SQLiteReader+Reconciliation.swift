import Base
import Database

extension SQLiteReader {
  /// The rows examined for one page, whether or not they match.
  private static let rowsPerPage: Int64 = 8_192

  package func keys(
    _ selection: KeySelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor> {
    try ask { () throws(DatabaseError) in
      guard let stretch = try stretch(behind: cursor, selection) else { return Page(elements: [], next: nil) }
      let (elements, lastRow) = try keys(selection, in: stretch, limit: limit)
      if elements.count == limit, let lastRow {
        return Page(elements: elements, next: ArrivalCursor(group: stretch.partition, row: lastRow))
      }
      return Page(elements: elements, next: stretch.next)
    }
  }

  /// Returns the rows that a query after the cursor examines; nil when there are none.
  func stretch(behind cursor: ArrivalCursor?, _ selection: KeySelection) throws(DatabaseError) -> ArrivalStretch? {
    let start = cursor ?? ArrivalCursor(group: 0, row: 0)
    guard let partition = try partition(from: start.group, selection) else { return nil }
    let after = partition == start.group ? start.row : 0
    let through = after + Self.rowsPerPage
    let last = try connection.database.integer("SELECT coalesce(max(id), 0) FROM points_\(partition)")
    let next: ArrivalCursor? =
      if through < last {
        ArrivalCursor(group: partition, row: through)
      } else {
        try self.partition(from: partition + 1, selection).map { ArrivalCursor(group: $0, row: 0) }
      }
    let owner = try selection.device.map { (device) throws(DatabaseError) in try identifier(of: device) ?? 0 } ?? -1
    return ArrivalStretch(partition: partition, after: after, through: through, owner: owner, next: next)
  }

  /// Returns the next partition that can have selected records.
  private func partition(from id: Int64, _ selection: KeySelection) throws(DatabaseError) -> Int64? {
    try connection.first(
      """
      SELECT id FROM partitions WHERE is_dropping = 0 AND id >= ?1 AND (day = ?2 OR day BETWEEN ?3 AND ?4)
      ORDER BY id LIMIT 1
      """, id, Day.odd, selection.from / Day.milliseconds, selection.to / Day.milliseconds)
  }

  private func keys(
    _ selection: KeySelection, in stretch: ArrivalStretch, limit: Int
  ) throws(DatabaseError) -> (keys: [StoredKey], lastRow: Int64?) {
    let run = selection.run
    return try connection.with(
      RecordSelection(selection), "SELECT point.id, name, recorded_at, uuid FROM \(stretch.rows) ORDER BY point.id",
      in: stretch
    ) { (row: inout Execution) throws(DatabaseError) in
      var keys: [StoredKey] = []
      var lastRow: Int64?
      while keys.count < limit, try row.step() {
        let uuid = row.uuid(at: 3)
        if let uuids = selection.uuids, !uuids.contains(uuid) { continue }
        lastRow = row.integer(at: 0)
        keys.append(
          StoredKey(
            device: DeviceIdentity(run: run, name: row.text(at: 1)),
            key: PointKey(recordedAt: row.integer(at: 2), uuid: uuid)))
      }
      return (keys, lastRow)
    }
  }

  package func missing(_ wanted: [PointKey], of device: DeviceIdentity) throws(StoreError) -> [PointKey] {
    try ask { () throws(DatabaseError) in
      guard let id = try identifier(of: device) else { return wanted }
      var isMissing = [Bool](repeating: true, count: wanted.count)
      for (day, places) in Dictionary(grouping: wanted.indices, by: { wanted[$0].recordedAt / Day.milliseconds }) {
        try find(wanted, at: places, of: id, day: day, &isMissing)
      }
      try find(wanted, at: wanted.indices.filter { isMissing[$0] }, of: id, day: Day.odd, &isMissing)
      return wanted.indices.filter { isMissing[$0] }.map { wanted[$0] }
    }
  }

  private func find(
    _ wanted: [PointKey], at places: [Int], of device: Int64, day: Int64, _ isMissing: inout [Bool]
  ) throws(DatabaseError) {
    guard !places.isEmpty else { return }
    let partition = try connection.first("SELECT id FROM partitions WHERE day = ?1 AND is_dropping = 0", day)
    guard let partition else { return }
    try connection.with("SELECT 1 FROM points_\(partition) WHERE recorded_at = ?1 AND device = ?2 AND uuid = ?3") {
      (statement: inout Statement) throws(DatabaseError) in
      for place in places {
        let uuid = wanted[place].uuid.bytes
        var row = statement.start()
        row.bind(1, wanted[place].recordedAt)
        row.bind(2, device)
        row.bind(3, blob: uuid.span)
        if try row.step() { isMissing[place] = false }
      }
    }
  }
}

extension ArrivalStretch {
  /// The selected points of a stretch, joined with their devices; uses the parameters 1 to 9.
  ///
  /// CROSS JOIN: SQLite keeps this order (https://sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join)
  /// and looks up the device of each row instead of the rows of each device.
  var rows: String {
    """
    points_\(partition) AS point CROSS JOIN devices ON devices.id = device
    WHERE point.id > ?1 AND point.id <= ?2 AND run = ?3 AND (?4 < 0 OR device = ?4)
      AND recorded_at >= ?5 AND recorded_at < ?6 AND received_at >= ?7 AND (?8 OR point.event = ?9)
    """
  }
}

extension StoreConnection {
  /// Runs `body` with a statement about the rows of a stretch, with the values of the selection bound.
  func with<Result>(
    _ selection: RecordSelection, _ sql: String, in stretch: ArrivalStretch,
    _ body: (inout Execution) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let (run, event) = (selection.keys.run, selection.event ?? "")
    return try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, stretch.after)
      row.bind(2, stretch.through)
      row.bind(3, text: run.utf8.span)
      row.bind(4, stretch.owner)
      row.bind(5, selection.keys.from)
      row.bind(6, selection.keys.to)
      row.bind(7, selection.receivedFrom)
      row.bind(8, selection.event == nil ? 1 : 0 as Int64)
      row.bind(9, text: event.utf8.span)
      return try body(&row)
    }
  }
}
