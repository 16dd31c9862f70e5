import Base
import Database

extension SQLiteReader {
  package func position(ofSink name: String) throws(StoreError) -> SinkPosition? {
    try ask { () throws(DatabaseError) in
      let id: Int64? = try connection.with(
        "SELECT id FROM sinks WHERE name = ?1"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: name.utf8.span)
        return try row.step() ? row.integer(at: 0) : nil
      }
      return try id.map { (id) throws(DatabaseError) in try connection.position(ofSink: id) }
    }
  }

  /// Each partition has its records in order of arrival. Several partitions are merged by the time of arrival, then by day.
  package func records(
    behind position: SinkPosition, until marks: [ArrivalMark], limit: Int, bytes: Int
  ) throws(StoreError) -> ForwardPage {
    try ask { () throws(DatabaseError) in
      var page = ForwardPage(end: position)
      var heads = try self.heads(behind: position, until: marks, &page.end)
      var room = Room(records: limit, bytes: bytes, rows: Room.rowsMax)
      while !heads.isEmpty, room.isLeft {
        let head = heads.removeFirst()
        guard let next = try read(head, before: heads.first, into: &page, &room) else { continue }
        heads.insert(next, at: heads.firstIndex { next < $0 } ?? heads.count)
      }
      return page
    }
  }

  /// The remaining capacity of a page.
  private struct Room {
    /// The rows examined by one query, including deleted ones.
    static let rowsMax = 8_192

    var records: Int
    var bytes: Int
    var rows: Int

    var isLeft: Bool { records > 0 && bytes > 0 && rows > 0 }
  }

  /// The next row of a partition.
  private struct Head: Comparable {
    let mark: ArrivalMark
    var receivedAt: Int64

    static func < (left: Head, right: Head) -> Bool {
      (left.receivedAt, left.mark.day) < (right.receivedAt, right.mark.day)
    }
  }

  /// Returns the heads in order. Advances `end` past partitions whose remaining rows were deleted.
  private func heads(
    behind position: SinkPosition, until marks: [ArrivalMark], _ end: inout SinkPosition
  ) throws(DatabaseError) -> [Head] {
    var heads: [Head] = []
    for mark in marks where mark.end > position.row(in: mark.partition) {
      guard try isThere(mark) else { continue }
      let first = try connection.first(
        "SELECT received_at FROM points_\(mark.partition) WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT 1",
        position.row(in: mark.partition), mark.end)
      if let first {
        heads.append(Head(mark: mark, receivedAt: first))
      } else {
        end.advance(to: mark.end, in: mark.partition)
      }
    }
    return heads.sorted()
  }

  /// Returns false when the partition was retired after the marks were taken.
  private func isThere(_ mark: ArrivalMark) throws(DatabaseError) -> Bool {
    try connection.first("SELECT 1 FROM partitions WHERE id = ?1 AND is_dropping = 0", mark.partition) != nil
  }

  /// Reads rows of one partition up to the head of the next. Returns its new head, nil when no rows remain.
  private func read(
    _ head: Head, before other: Head?, into page: inout ForwardPage, _ room: inout Room
  ) throws(DatabaseError) -> Head? {
    let mark = head.mark
    return try connection.with(
      """
      SELECT point.id, name, recorded_at, uuid, received_at, point.event, record, run
      FROM points_\(mark.partition) AS point LEFT JOIN devices ON devices.id = device
      WHERE point.id > ?1 AND point.id <= ?2 ORDER BY point.id
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, page.end.row(in: mark.partition))
      row.bind(2, mark.end)
      while try row.step() {
        let next = Head(mark: mark, receivedAt: row.integer(at: 4))
        guard room.isLeft, other.map({ !($0 < next) }) ?? true else { return next }
        room.rows -= 1
        page.end.advance(to: row.integer(at: 0), in: mark.partition)
        guard let run = row.optionalText(at: 7) else { continue }
        let record = row.arrivedRecord(run: run, partition: mark.partition)
        room.records -= 1
        room.bytes -= record.record.count
        page.records.append(record)
      }
      page.end.advance(to: mark.end, in: mark.partition)
      return nil
    }
  }

  /// The only server of a folder has no name.
  package func leaders(ofSinks names: [String]) throws(StoreError) -> [String: String] { [:] }

  package func refusalCount(ofSink name: String) throws(StoreError) -> RefusalCount {
    try ask { () throws(DatabaseError) in
      try connection.with(
        "SELECT refused, refused_in_row FROM sinks WHERE name = ?1"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: name.utf8.span)
        return try row.step() ? RefusalCount(total: row.integer(at: 0), inRow: row.integer(at: 1)) : RefusalCount()
      }
    }
  }

  package func refusals(ofSink name: String, limit: Int) throws(StoreError) -> [SinkRefusal] {
    try ask { () throws(DatabaseError) in
      try connection.with(
        """
        SELECT run, device, recorded_at, uuid, reason, at FROM sink_refusals
        WHERE sink = (SELECT id FROM sinks WHERE name = ?1) ORDER BY id DESC LIMIT ?2
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: name.utf8.span)
        row.bind(2, Int64(limit))
        var found: [SinkRefusal] = []
        while try row.step() {
          found.append(
            SinkRefusal(
              device: DeviceIdentity(run: row.text(at: 0), name: row.text(at: 1)),
              key: PointKey(recordedAt: row.integer(at: 2), uuid: row.uuid(at: 3)), reason: row.text(at: 4),
              at: row.integer(at: 5)))
        }
        return found
      }
    }
  }
}
