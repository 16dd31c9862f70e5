import Base
import Database

extension StoreEngine {
  func takeCommands(at place: Int, limit: Int, now: Int64) throws(DatabaseError) -> [TakenCommand] {
    guard limit > 0, outbox.mayHave(for: devices.entries[place].identity, after: devices.entries[place].broadcastMark)
    else { return [] }
    var entry = devices.entries[place]
    let taken = try outbox.take(for: &entry, limit: limit, now: now)
    devices.change(place) { $0.broadcastMark = entry.broadcastMark }
    return taken
  }

  /// A device that never uploaded is entered only if there may be something for it.
  func takeCommands(
    for device: DeviceIdentity, limit: Int, now: Int64
  ) throws(DatabaseError) -> [TakenCommand] {
    if let place = try devices.place(of: device) { return try takeCommands(at: place, limit: limit, now: now) }
    guard outbox.mayHave(for: device, after: 0) else { return [] }
    return try takeCommands(at: try devices.makePlace(of: device, now: now), limit: limit, now: now)
  }

  func setTags(_ tags: [String], of device: DeviceIdentity, now: Int64) throws(DatabaseError) -> Int {
    let place = try devices.makePlace(of: device, now: now)
    let id = devices.entries[place].id
    try connection.run("DELETE FROM device_tags WHERE device = ?1", id)
    for tag in tags {
      try connection.with(
        "INSERT OR IGNORE INTO device_tags(device, tag) VALUES(?1, ?2)"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, id)
        row.bind(2, text: tag.utf8.span)
        try row.run()
      }
    }
    return tags.count
  }

  func keep(_ log: DeviceLog, now: Int64) throws(DatabaseError) -> Int {
    let place = try devices.makePlace(of: log.device, now: now)
    let id = devices.entries[place].id
    try connection.with(
      "INSERT INTO logs(device, received, name, bytes) VALUES(?1, ?2, ?3, ?4)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, id)
      row.bind(2, log.receivedAt.millisecondsSince1970)
      row.bind(3, text: log.fileName.utf8.span)
      row.bind(4, blob: log.bytes.span)
      try row.run()
    }
    try connection.run(
      """
      DELETE FROM logs WHERE device = ?1
        AND id NOT IN (SELECT id FROM logs WHERE device = ?1 ORDER BY id DESC LIMIT ?2)
      """, id, Int64(configuration.limits.logsPerDevice))
    return 1
  }

  /// The row of the device goes at once, which makes its records invisible; what hangs on its number goes in the steps of
  /// upkeep, for it may be much. Returns 1 when there was such a device, or one that had only registered.
  func delete(_ device: DeviceIdentity) throws(DatabaseError) -> Int {
    let families = try tokens.delete(device)
    try outbox.delete(ordersFor: device)
    guard let place = try devices.place(of: device) else { return families > 0 ? 1 : 0 }
    try devices.flush()
    let id = devices.entries[place].id
    devices.remove(place)
    try connection.run("DELETE FROM devices WHERE id = ?1", id)
    try connection.run("INSERT INTO forgotten(device) VALUES(?1)", id)
    try partitions.markForSweeping()
    return 1
  }

  /// The counts of the devices go on to say how many there ever were.
  func clearQuarantine(_ selection: QuarantineSelection, limit: Int) throws(DatabaseError) -> Int {
    try connection.with(
      selection,
      """
      DELETE FROM quarantine WHERE id IN (
        SELECT quarantine.id FROM quarantine CROSS JOIN devices ON devices.id = device
        WHERE \(QuarantineSelection.condition) ORDER BY quarantine.id DESC LIMIT ?8)
      """
    ) { (row: inout Execution) throws(DatabaseError) in
      row.bind(8, Int64(limit))
      _ = try row.step()
    }
    return Int(connection.database.changes)
  }

  /// Returns how many devices were forgotten.
  func reset(_ run: String?) throws(DatabaseError) -> Int {
    try devices.flush()
    let count: Int
    if let run { count = try forget(run: run) } else { count = try forgetEverything() }
    devices.forget()
    tokens.forget()
    try outbox.reload()
    return count
  }

  private func forgetEverything() throws(DatabaseError) -> Int {
    for partition in partitions.live { try partitions.giveUp(partition) }
    for table in [
      "device_tags", "deliveries", "quarantine", "logs", "orders", "refresh_tokens", "token_families", "forgotten",
      "proofs",
    ] {
      try connection.run("DELETE FROM \(table)")
    }
    return try connection.run("DELETE FROM devices")
  }

  /// The rows of its points lose their device here, which makes them invisible; upkeep sweeps them out.
  private func forget(run: String) throws(DatabaseError) -> Int {
    for table in ["device_tags", "deliveries", "proofs", "quarantine", "logs"] {
      try connection.run("DELETE FROM \(table) WHERE device IN (SELECT id FROM devices WHERE run = ?1)", text: run)
    }
    try connection.run(
      "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM token_families WHERE run = ?1)", text: run)
    try connection.run("DELETE FROM token_families WHERE run = ?1", text: run)
    try connection.run("DELETE FROM orders WHERE run = ?1", text: run)
    let count = try connection.run("DELETE FROM devices WHERE run = ?1", text: run)
    if count > 0 { try partitions.markForSweeping() }
    return count
  }
}
