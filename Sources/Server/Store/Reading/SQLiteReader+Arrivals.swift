import Base
import Database

extension SQLiteReader {
  private static let columns = "point.id, name, recorded_at, uuid, received_at, point.event, record"

  package func arrivals(
    _ selection: RecordSelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor> {
    try ask { () throws(DatabaseError) in
      let owner =
        try selection.keys.device.map { (device) throws(DatabaseError) in try identifier(of: device) ?? 0 } ?? -1
      guard let stretch = try stretch(behind: cursor, selection.keys) else { return Page(elements: [], next: nil) }
      let run = selection.keys.run
      let found = try connection.with(
        """
        SELECT \(Self.columns) FROM points_\(stretch.partition) AS point CROSS JOIN devices ON devices.id = device
        WHERE point.id > ?1 AND point.id <= ?2 AND run = ?3 AND (?4 < 0 OR device = ?4)
          AND recorded_at >= ?5 AND recorded_at < ?6 AND received_at >= ?7
        ORDER BY point.id LIMIT ?8
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, stretch.after)
        row.bind(2, stretch.through)
        row.bind(3, text: run.utf8.span)
        row.bind(4, owner)
        row.bind(5, selection.keys.from)
        row.bind(6, selection.keys.to)
        row.bind(7, selection.receivedFrom)
        row.bind(8, Int64(limit))
        var found: [ArrivedRecord] = []
        while try row.step() { found.append(row.arrivedRecord(run: run, partition: stretch.partition)) }
        return found
      }
      guard found.count == limit, let last = found.last else { return Page(elements: found, next: stretch.next) }
      return Page(elements: found, next: ArrivalCursor(group: stretch.partition, row: last.cursor.row))
    }
  }

  package func settledArrivals() throws(StoreError) -> ArrivalCursor? { nil }

  package func arrival(_ key: PointKey, of device: DeviceIdentity) throws(StoreError) -> ArrivedRecord? {
    try ask { () throws(DatabaseError) in
      guard let id = try identifier(of: device) else { return nil }
      for day in Set([key.recordedAt / Day.milliseconds, Day.odd]).sorted() {
        let partition = try connection.first("SELECT id FROM partitions WHERE day = ?1 AND is_dropping = 0", day)
        guard let partition else { continue }
        let found: ArrivedRecord? = try connection.with(
          """
          SELECT \(Self.columns) FROM points_\(partition) AS point CROSS JOIN devices ON devices.id = device
          WHERE recorded_at = ?1 AND device = ?2 AND uuid = ?3
          """
        ) { (statement: inout Statement) throws(DatabaseError) in
          let uuid = key.uuid.bytes
          var row = statement.start()
          row.bind(1, key.recordedAt)
          row.bind(2, id)
          row.bind(3, blob: uuid.span)
          return try row.step() ? row.arrivedRecord(run: device.run, partition: partition) : nil
        }
        if let found { return found }
      }
      return nil
    }
  }
}

extension Execution {
  /// Of the columns that the questions above name.
  func arrivedRecord(run: String, partition: Int64) -> ArrivedRecord {
    let key = PointKey(recordedAt: integer(at: 2), uuid: uuid(at: 3))
    return ArrivedRecord(
      device: DeviceIdentity(run: run, name: text(at: 1)), key: key, receivedAt: integer(at: 4),
      event: optionalText(at: 5), record: blob(at: 6),
      cursor: PointCursor(recordedAt: key.recordedAt, group: partition, row: integer(at: 0)))
  }
}
