import Base
import Database
package import Store

extension PostgresReader {
  private static let arrivedColumns = """
    name, recorded_at, uuid, received_at, point.event, record, point.arrived_in, point.n
    """

  package func arrivals(
    _ selection: RecordSelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor> {
    var scan = ArrivalScan(behind: cursor, selection)
    let run = selection.keys.run
    let (records, end) = try page(&scan, Self.arrivedColumns, limit: limit) { $0.arrivedRecord(run: run, from: 1) }
    guard records.count == limit, let last = records.last else { return Page(elements: records, next: end) }
    return Page(elements: records, next: ArrivalCursor(group: last.cursor.group, row: last.cursor.row))
  }

  /// The feed reports the records below the horizon.
  package func settledArrivals() throws(StoreError) -> ArrivalCursor? {
    try find("SELECT arrival_horizon() - 1", []) { row in
      ArrivalCursor(group: row.integer(0), row: ArrivalScan.endOfTransaction)
    }.first
  }

  package func arrival(_ key: PointKey, of device: DeviceIdentity) throws(StoreError) -> ArrivedRecord? {
    try find(
      """
      SELECT \(Self.arrivedColumns) FROM points AS point JOIN devices ON devices.id = device
      WHERE run = $1::text AND name = $2::text AND recorded_at = $3::int8 AND uuid = $4::uuid
      """, [.text(device.run), .text(device.name), .integer(key.recordedAt), .uuid(key.uuid)]
    ) { $0.arrivedRecord(run: device.run, from: 0) }.first
  }

  package func count(
    _ selection: RecordSelection, after cursor: ArrivalCursor?
  ) throws(StoreError) -> (count: Int, next: ArrivalCursor?) {
    var scan = ArrivalScan(behind: cursor, selection)
    let (counts, end) = try page(&scan, "count(*)", limit: nil) { $0.integer(1) }
    return (Int(counts.first ?? 0), end)
  }

  package func keys(
    _ selection: KeySelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor> {
    var scan = ArrivalScan(behind: cursor, RecordSelection(selection))
    let run = selection.run
    // The uuids are selected here: there may be more of them than records in a page.
    let most = selection.uuids == nil ? min(limit, ArrivalScan.rowsPerPage) : ArrivalScan.rowsPerPage
    let (found, end) = try page(&scan, "name, recorded_at, uuid, point.arrived_in, point.n", limit: most) { row in
      (
        key: StoredKey(
          device: DeviceIdentity(run: run, name: row.text(1)),
          key: PointKey(recordedAt: row.integer(2), uuid: row.uuid(3))),
        place: ArrivalCursor(group: row.integer(4), row: row.integer(5))
      )
    }
    let wanted = found.filter { selection.uuids?.contains($0.key.key.uuid) ?? true }.prefix(limit)
    let next = wanted.count == limit ? wanted.last?.place : found.count == most ? found.last?.place : end
    return Page(elements: wanted.map(\.key), next: next)
  }

  /// Returns the rows of a page, and where it ends; nil at the end.
  private func page<Answer>(
    _ scan: inout ArrivalScan, _ columns: String, limit: Int?, _ read: (PostgresRow) -> Answer
  ) throws(StoreError) -> ([Answer], ArrivalCursor?) {
    let sql = scan.statement(columns, limit: limit)
    var end: ArrivalCursor?
    let found = try find(sql, scan.values) { row -> Answer? in
      if !row.isNull(0) { end = ArrivalCursor(group: row.integer(0), row: ArrivalScan.endOfTransaction) }
      return row.isNull(1) ? nil : read(row)
    }
    return (found.compactMap { $0 }, end)
  }

  /// The database looks up each key in the index, whatever its estimate of their number.
  package func missing(_ wanted: [PointKey], of device: DeviceIdentity) throws(StoreError) -> [PointKey] {
    let places = try find(
      """
      SELECT place FROM unnest($3::int8[], $4::uuid[]) WITH ORDINALITY AS wanted(recorded_at, uuid, place)
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM points WHERE points.device = (SELECT id FROM devices WHERE run = $1::text AND name = $2::text)
          AND points.recorded_at = wanted.recorded_at AND points.uuid = wanted.uuid LIMIT 1) AS found ON true
      WHERE is_there IS NULL ORDER BY place
      """, [.text(device.run), .text(device.name), .integers(wanted.map(\.recordedAt)), .uuids(wanted.map(\.uuid))]
    ) { Int($0.integer(0)) - 1 }
    return places.map { wanted[$0] }
  }
}

extension PostgresRow {
  /// Reads the columns that the queries above select, starting with `column`.
  func arrivedRecord(run: String, from column: Int) -> ArrivedRecord {
    let key = PointKey(recordedAt: integer(column + 1), uuid: uuid(column + 2))
    return ArrivedRecord(
      device: DeviceIdentity(run: run, name: text(column)), key: key, receivedAt: integer(column + 3),
      event: optionalText(column + 4), record: blob(column + 5),
      cursor: PointCursor(recordedAt: key.recordedAt, group: integer(column + 6), row: integer(column + 7)))
  }
}
