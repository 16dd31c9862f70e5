import Base
import Database
import Store

/// Jobs that are executed alone: their changes are in the tables when the next job reads.
extension PostgresGroup {
  /// Returns false for another job. Sends all queued statements.
  func administer(_ index: Int) throws(Failure) -> Bool {
    switch jobs[index] {
    case .setTags(let device, let tags): try setTags(tags, of: device, index)
    case .revokeTokens(let selection):
      try change(selection, "is_revoked = $1::int8", to: FamilyState.revoked, index)
    case .expireTokens(let selection): try change(selection, "access_from = $1::int8", to: now + 1, index)
    case .delete(let device): try delete(device, index)
    case .clearQuarantine(let selection, let limit): try clear(selection, limit, index)
    case .reset(let run?): try reset(run, index)
    case .reset(nil): try resetEverything(index)
    case .advance(let advance): try self.advance(advance, index)
    case .read: break
    case .ingest, .queue, .takeCommands, .markDelivered, .returnCommands, .beginFamily, .rotate, .checkToken, .keepLog:
      return false
    }
    try round.flush()
    return true
  }

  private func note(_ index: Int) -> (PostgresResult) -> Void {
    { [self] result in results[index] = .changed(result.changes) }
  }

  private func setTags(_ tags: [String], of device: DeviceIdentity, _ index: Int) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(device.run)
    arguments.add(device.name)
    arguments.add(now)
    arguments.add(texts: tags, of: { $0 })
    // Rows that one statement deletes and inserts again would be lost.
    try round.send(
      """
      WITH owner AS (
        INSERT INTO devices(id, run, name, first_seen, last_seen)
        VALUES (nextval('device_ids'), $1::text, $2::text, $3::int8, $3::int8)
        ON CONFLICT (run, name) DO UPDATE SET name = excluded.name RETURNING id),
      gone AS (DELETE FROM device_tags USING owner WHERE device = owner.id AND tag <> ALL($4::text[]))
      INSERT INTO device_tags SELECT DISTINCT owner.id, tag FROM owner, unnest($4::text[]) AS tag ON CONFLICT DO NOTHING
      """, arguments)
    results[index] = .changed(tags.count)
  }

  private func change(
    _ selection: TokenSelection, _ change: String, to value: Int64, _ index: Int
  ) throws(Failure) {
    var sql = "UPDATE token_families SET \(change) WHERE is_revoked = 0"
    var arguments = PostgresArguments()
    arguments.add(value)
    switch selection {
    case .all: break
    case .family(let id):
      sql += " AND id = $2::int8"
      arguments.add(id)
    case .run(let run):
      sql += " AND run = $2::text"
      arguments.add(run)
    case .device(let device):
      sql += " AND run = $2::text AND device = $3::text"
      arguments.add(device.run)
      arguments.add(device.name)
    }
    try round.send(sql, arguments, then: note(index))
  }

  /// Deletes the device's row at once, which makes its records invisible; rows that refer to it are deleted in steps of upkeep.
  /// Its families remain until they expire, so that their tokens can be told from forged ones.
  private func delete(_ device: DeviceIdentity, _ index: Int) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(device.run)
    arguments.add(device.name)
    var families = 0
    try round.send(
      """
      UPDATE token_families SET is_revoked = \(FamilyState.deleted), answer = NULL
      WHERE is_revoked <> \(FamilyState.deleted) AND run = $1::text AND device = $2::text
      """, arguments
    ) { families = $0.changes }
    try round.send("DELETE FROM orders WHERE run = $1::text AND kind = 0 AND target = $2::text", arguments)
    try round.send(
      """
      WITH gone AS (DELETE FROM devices WHERE run = $1::text AND name = $2::text RETURNING id)
      INSERT INTO forgotten SELECT id FROM gone
      """, arguments
    ) { [self] result in results[index] = .changed(result.changes > 0 || families > 0 ? 1 : 0) }
  }

  /// The counts of the devices keep the total ever quarantined.
  private func clear(_ selection: QuarantineSelection, _ limit: Int, _ index: Int) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(selection.run)
    arguments.add(selection.device)
    arguments.add(selection.reason)
    arguments.add(selection.id)
    arguments.add(Int64(limit))
    try round.send(
      """
      DELETE FROM quarantine WHERE id IN (
        SELECT quarantine.id FROM quarantine JOIN devices ON devices.id = device
        WHERE ($1::text IS NULL OR run = $1) AND ($2::text IS NULL OR name = $2) AND ($3::text IS NULL OR reason = $3)
          AND ($4::int8 IS NULL OR quarantine.id = $4)
        ORDER BY quarantine.id DESC LIMIT $5::int8)
      """, arguments, then: note(index))
  }

  /// Rows that refer to its devices are deleted in steps of upkeep.
  private func reset(_ run: String, _ index: Int) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(run)
    try round.send(
      "WITH gone AS (DELETE FROM devices WHERE run = $1::text RETURNING id) INSERT INTO forgotten SELECT id FROM gone",
      arguments, then: note(index))
    try round.send(
      "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM token_families WHERE run = $1::text)", arguments)
    try round.send("DELETE FROM token_families WHERE run = $1::text", arguments)
    try round.send("DELETE FROM orders WHERE run = $1::text", arguments)
  }

  private func resetEverything(_ index: Int) throws(Failure) {
    try round.send("SELECT count(*) FROM devices") { [self] result in
      results[index] = .changed(Int(result.integer(0, 0)))
    }
    try round.send("SELECT drop_day(day) FROM (SELECT day FROM partitions ORDER BY day) AS all_days")
    let tables = StoreTable.allCases.map(\.rawValue) + ["points_odd", "parameters_odd"]
    try round.send("TRUNCATE " + tables.joined(separator: ", "))
    hasReset = true
    days.all = []
    for day in DayTable.needed(by: jobs[(index + 1)...], now: now, limits).sorted().prefix(limits.partitions) {
      var arguments = PostgresArguments()
      arguments.add(day)
      try round.send("SELECT make_day($1::int8)", arguments)
      days.all.insert(day)
    }
  }

  private func advance(_ advance: SinkAdvance, _ index: Int) throws(Failure) {
    let last = advance.position.last
    var arguments = PostgresArguments()
    arguments.add(advance.sink)
    arguments.add(last?.group ?? 0)
    arguments.add(last?.row ?? 0)
    arguments.add(advance.refused.total)
    arguments.add(advance.refused.inRow)
    try round.send(
      """
      UPDATE sinks SET arrived_in = $2::int8, n = $3::int8, refused = $4::int8, refused_in_row = $5::int8
      WHERE name = $1::text AND (arrived_in, n) < ($2::int8, $3::int8)
      """, arguments, then: note(index))
    guard !advance.refusals.isEmpty else { return }
    var refused = PostgresArguments()
    refused.add(advance.sink)
    refused.add(integers: advance.refusals, of: { $0.at })
    refused.add(texts: advance.refusals, of: { $0.device.run })
    refused.add(texts: advance.refusals, of: { $0.device.name })
    refused.add(integers: advance.refusals, of: { $0.key.recordedAt })
    refused.add(uuids: advance.refusals, of: { $0.key.uuid })
    refused.add(texts: advance.refusals, of: { $0.reason })
    try round.send(
      """
      INSERT INTO sink_refusals(sink, at, run, device, recorded_at, uuid, reason)
      SELECT sinks.id, new.* FROM sinks, unnest($2::int8[], $3::text[], $4::text[], $5::int8[], $6::uuid[], $7::text[]) AS new
      WHERE name = $1::text
      """, refused)
  }
}

extension StoreJob {
  /// Whether it is an administrator's job, which is rare and may affect many rows.
  var isOfAdministrator: Bool {
    switch self {
    case .setTags, .revokeTokens, .expireTokens, .delete, .clearQuarantine, .reset, .advance, .read: true
    case .ingest, .queue, .takeCommands, .markDelivered, .returnCommands, .beginFamily, .rotate, .checkToken, .keepLog:
      false
    }
  }
}
