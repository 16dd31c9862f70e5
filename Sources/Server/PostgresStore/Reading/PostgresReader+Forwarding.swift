import Base
import Database
package import Store

extension PostgresReader {
  package func position(ofSink name: String) throws(StoreError) -> SinkPosition? {
    try find("SELECT arrived_in, n FROM sinks WHERE name = $1::text", [.text(name)]) { row in
      SinkPosition(behind: ArrivalCursor(group: row.integer(0), row: row.integer(1)))
    }.first
  }

  /// A device's second request begins after the first was answered, so that its transaction has the greater number: records are
  /// forwarded in order of arrival. Records above the horizon must wait, whatever the mark is.
  package func records(
    behind position: SinkPosition, until marks: [ArrivalMark], limit: Int, bytes: Int
  ) throws(StoreError) -> ForwardPage {
    let start = position.last ?? ArrivalCursor(group: 0, row: 0)
    var page = ForwardPage(end: SinkPosition(behind: start))
    guard let last = marks.last?.cursor else { return page }
    var room = bytes
    _ = try find(
      """
      SELECT name, recorded_at, uuid, received_at, point.event, record, arrived_in, n, run
      FROM points AS point LEFT JOIN devices ON devices.id = device
      WHERE arrived_in >= $1::int8 AND (arrived_in, n) > ($1::int8, $2::int8)
        AND (arrived_in, n) <= ($3::int8, $4::int8) AND arrived_in < (SELECT arrival_horizon())
      ORDER BY arrived_in, n LIMIT $5::int8
      """,
      [
        .integer(start.group), .integer(start.row), .integer(last.group), .integer(last.row),
        .integer(Int64(limit)),
      ]
    ) { row in
      guard room > 0 else { return }
      page.end = SinkPosition(behind: ArrivalCursor(group: row.integer(6), row: row.integer(7)))
      // The device was deleted meanwhile.
      guard let run = row.optionalText(8) else { return }
      let record = row.arrivedRecord(run: run, from: 0)
      room -= record.record.count
      page.records.append(record)
    }
    return page
  }

  /// Finds the sessions that hold the locks, by their application names (https://www.postgresql.org/docs/15/view-pg-locks.html:
  /// a 64-bit key is shown in two halves).
  package func leaders(ofSinks names: [String]) throws(StoreError) -> [String: String] {
    let found = try find(
      """
      SELECT sink, session.application_name FROM unnest($1::text[]) AS sink
      CROSS JOIN LATERAL (SELECT \(SinkLock.key(of: "sink")) AS key) AS wanted
      JOIN pg_locks AS held ON held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
        AND held.classid::int8 = key >> 32 & 4294967295 AND held.objid::int8 = key & 4294967295
      JOIN pg_stat_activity AS session ON session.pid = held.pid AND session.datid = held.database
        AND session.datname = current_database()
      """, [.texts(names)]
    ) { row in (row.text(0), row.text(1)) }
    let named = found.filter { $0.1.hasPrefix(SinkLock.namePrefix) }
    return Dictionary(named.map { ($0.0, String($0.1.dropFirst(SinkLock.namePrefix.count))) }) { first, _ in first }
  }

  package func refusalCount(ofSink name: String) throws(StoreError) -> RefusalCount {
    try find("SELECT refused, refused_in_row FROM sinks WHERE name = $1::text", [.text(name)]) { row in
      RefusalCount(total: row.integer(0), inRow: row.integer(1))
    }.first ?? RefusalCount()
  }

  package func refusals(ofSink name: String, limit: Int) throws(StoreError) -> [SinkRefusal] {
    try find(
      """
      SELECT run, device, recorded_at, uuid, reason, at FROM sink_refusals
      WHERE sink = (SELECT id FROM sinks WHERE name = $1::text) ORDER BY id DESC LIMIT $2::int8
      """, [.text(name), .integer(Int64(limit))]
    ) { row in
      SinkRefusal(
        device: DeviceIdentity(run: row.text(0), name: row.text(1)),
        key: PointKey(recordedAt: row.integer(2), uuid: row.uuid(3)), reason: row.text(4), at: row.integer(5))
    }
  }
}
