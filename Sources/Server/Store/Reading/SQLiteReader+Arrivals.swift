import Base
import Database

extension SQLiteReader {
  private static let columns = "point.id, name, recorded_at, uuid, received_at, point.event, record"

  package func arrivals(
    _ selection: RecordSelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor> {
    try ask { () throws(DatabaseError) in
      guard let stretch = try stretch(behind: cursor, selection.keys) else { return Page(elements: [], next: nil) }
      let run = selection.keys.run
      let found = try connection.with(
        selection, "SELECT \(Self.columns) FROM \(stretch.rows) ORDER BY point.id LIMIT ?10", in: stretch
      ) { (row: inout Execution) throws(DatabaseError) in
        row.bind(10, Int64(limit))
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
  /// Reads the columns that the queries above select.
  func arrivedRecord(run: String, partition: Int64) -> ArrivedRecord {
    let key = PointKey(recordedAt: integer(at: 2), uuid: uuid(at: 3))
    return ArrivedRecord(
      device: DeviceIdentity(run: run, name: text(at: 1)), key: key, receivedAt: integer(at: 4),
      event: optionalText(at: 5), record: blob(at: 6),
      cursor: PointCursor(recordedAt: key.recordedAt, group: partition, row: integer(at: 0)))
  }
}
