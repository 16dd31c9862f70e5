package import Base
import Database
package import Store

extension PostgresReader {
  package func commands(
    run: String, device: DeviceIdentity?, now: WallInstant, after cursor: CommandCursor?, limit: Int
  ) throws(StoreError) -> Page<CommandProgress, CommandCursor> {
    let condition =
      device == nil ? "" : "AND (name = $5::text OR device IS NULL AND kind = 0 AND target = $5::text)"
    let lines = try find(
      """
      SELECT orders.id, kind, target, orders.command, created, expires, name, state, sent, confirmed, attempts,
        coalesce(device, 0), proven
      FROM orders LEFT JOIN deliveries ON deliveries.command = orders.id LEFT JOIN devices ON devices.id = device
      WHERE orders.run = $1::text AND orders.id >= $2::int8 AND kind BETWEEN 0 AND 2
        AND (orders.id, coalesce(device, 0)) > ($2::int8, $3::int8) \(condition)
      ORDER BY orders.id, coalesce(device, 0) LIMIT $4::int8
      """,
      [.text(run), .integer(cursor?.order ?? 0), .integer(cursor?.device ?? 0), .integer(Int64(limit))]
        + (device.map { [.text($0.name)] } ?? [])
    ) { $0.line(run: run, now: now.millisecondsSince1970) }
    return Page(elements: lines, next: lines.count == limit ? lines.last?.cursor : nil)
  }

  package func lastOrderExpiry() throws(StoreError) -> WallInstant? {
    // Waiting commands, and those returned because their answer did not arrive.
    let last = try find(
      """
      SELECT greatest(
        (SELECT max(expires) FROM orders WHERE is_open),
        (SELECT max(expires) FROM orders WHERE id IN (SELECT command FROM deliveries WHERE state = \(DeliveryState.due))))
      """, []
    ) { $0.optionalInteger(0) }.first
    return last.flatMap { $0 }.flatMap { WallInstant(exactly: $0) }
  }

  package func logs(of device: DeviceIdentity) throws(StoreError) -> [StoredLog] {
    try find(
      """
      SELECT id, received, name, length(bytes)::bigint FROM logs
      WHERE device = (SELECT id FROM devices WHERE run = $1::text AND name = $2::text) ORDER BY id DESC
      """, [.text(device.run), .text(device.name)]
    ) { row in
      StoredLog(id: row.integer(0), receivedAt: row.integer(1), fileName: row.text(2), byteCount: Int(row.integer(3)))
    }
  }

  package func log(_ id: Int64) throws(StoreError) -> [UInt8]? {
    try find("SELECT bytes FROM logs WHERE id = $1::int8", [.integer(id)]) { $0.blob(0) }.first
  }
}

extension PostgresRow {
  fileprivate func line(run: String, now: Int64) -> CommandProgress {
    let expires = integer(5)
    guard let target = QueuedCommand.Target(kind: integer(1), run: run, text: text(2)) else {
      preconditionFailure("the statement asks for orders of known kinds")
    }
    return CommandProgress(
      id: integer(0), target: target, command: blob(3),
      createdAt: integer(4), expiresAt: expires, device: optionalText(6),
      state: CommandProgress.State(kept: optionalInteger(7), expires: expires, now: now), sentAt: optionalInteger(8),
      deliveredAt: optionalInteger(9), confirmedAt: optionalInteger(12), attempts: Int(optionalInteger(10) ?? 0),
      cursor: CommandCursor(order: integer(0), device: integer(11)))
  }
}
