package import Base
import Database

extension SQLiteReader {
  package func commands(
    run: String, device: DeviceIdentity?, now: WallInstant, after cursor: CommandCursor?, limit: Int
  ) throws(StoreError) -> Page<CommandProgress, CommandCursor> {
    try ask { () throws(DatabaseError) in
      let lines = try connection.with(
        """
        SELECT orders.id, kind, target, orders.command, created, expires, name, state, sent, confirmed, attempts, device,
          proven
        FROM orders LEFT JOIN deliveries ON deliveries.command = orders.id LEFT JOIN devices ON devices.id = device
        WHERE orders.run = ?1 AND (orders.id, coalesce(device, 0)) > (?2, ?3)
          AND (?4 OR name = ?5 OR device IS NULL AND kind = 0 AND target = ?5)
        ORDER BY orders.id, coalesce(device, 0) LIMIT ?6
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        let name = device?.name ?? ""
        var row = statement.start()
        row.bind(1, text: run.utf8.span)
        row.bind(2, cursor?.order ?? 0)
        row.bind(3, cursor?.device ?? 0)
        row.bind(4, device == nil ? 1 : 0 as Int64)
        row.bind(5, text: name.utf8.span)
        row.bind(6, Int64(limit))
        var lines: [CommandProgress] = []
        while try row.step() { lines.append(try row.line(run: run, now: now.millisecondsSince1970)) }
        return lines
      }
      return Page(elements: lines, next: lines.count == limit ? lines.last?.cursor : nil)
    }
  }

  package func lastOrderExpiry() throws(StoreError) -> WallInstant? {
    try ask { () throws(DatabaseError) in
      let open = try connection.first("SELECT coalesce(max(expires), 0) FROM orders WHERE is_open = 1") ?? 0
      // Commands that were returned to the queue because their answer did not arrive.
      let returned =
        try connection.first(
          """
          SELECT coalesce(max(expires), 0) FROM orders
          WHERE id IN (SELECT command FROM deliveries WHERE state = \(DeliveryState.due))
          """) ?? 0
      let last = max(open, returned)
      return last == 0 ? nil : WallInstant(exactly: last)
    }
  }

  package func logs(of device: DeviceIdentity) throws(StoreError) -> [StoredLog] {
    try ask { () throws(DatabaseError) in
      guard let id = try identifier(of: device) else { return [] }
      return try connection.with(
        "SELECT id, received, name, length(bytes) FROM logs WHERE device = ?1 ORDER BY id DESC"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, id)
        var logs: [StoredLog] = []
        while try row.step() {
          logs.append(
            StoredLog(
              id: row.integer(at: 0), receivedAt: row.integer(at: 1), fileName: row.text(at: 2),
              byteCount: Int(row.integer(at: 3))))
        }
        return logs
      }
    }
  }

  package func log(_ id: Int64) throws(StoreError) -> [UInt8]? {
    try ask { () throws(DatabaseError) in
      let bytes: [UInt8]? = try connection.with(
        "SELECT bytes FROM logs WHERE id = ?1"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, id)
        return try row.step() ? row.blob(at: 0) : nil
      }
      return bytes
    }
  }
}

extension Execution {
  fileprivate func line(run: String, now: Int64) throws(DatabaseError) -> CommandProgress {
    let expires = integer(at: 5)
    let state = CommandProgress.State(kept: optionalInteger(at: 7), expires: expires, now: now)
    return CommandProgress(
      id: integer(at: 0),
      target: try QueuedCommand.Target(readingKind: integer(at: 1), run: run, text: text(at: 2)),
      command: blob(at: 3), createdAt: integer(at: 4), expiresAt: expires, device: optionalText(at: 6), state: state,
      sentAt: optionalInteger(at: 8), deliveredAt: optionalInteger(at: 9), confirmedAt: optionalInteger(at: 12),
      attempts: Int(integer(at: 10)),
      cursor: CommandCursor(order: integer(at: 0), device: integer(at: 11)))
  }
}
