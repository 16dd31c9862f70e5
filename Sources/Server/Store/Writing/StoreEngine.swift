import Base
import Database

/// The writer's state on one open connection. Its caches mirror the database; after a failed transaction it is discarded and
/// made again.
final class StoreEngine {
  let connection: StoreConnection
  let configuration: StoreConfiguration
  let partitions: PartitionSet
  var devices: DeviceTable
  var outbox: CommandOutbox
  var tokens: TokenRegistry
  let sinks: SinkTable
  private let board: ArrivalBoard?
  private var upkeep: Upkeep
  private var commits = 0
  /// The quarantined records that the current or last group has deleted to make room for its own.
  private(set) var evictedFromQuarantine = 0
  private static let commitsBetweenSpills = 64

  init(
    on connection: StoreConnection, _ configuration: StoreConfiguration, _ board: ArrivalBoard?
  ) throws(DatabaseError) {
    self.connection = connection
    self.configuration = configuration
    self.board = board
    partitions = try PartitionSet(on: connection, limits: configuration.limits)
    if let board { partitions.number(behind: board.marks) }
    sinks = try SinkTable(on: connection, configuration, partitions, board)
    devices = try DeviceTable(on: connection, capacity: configuration.limits.cachedDevices)
    outbox = try CommandOutbox(on: connection, limits: configuration.limits)
    tokens = TokenRegistry(on: connection, capacity: configuration.limits.cachedDevices)
    upkeep = Upkeep(configuration)
    publish()
  }

  private func publish() { board?.publish(partitions.marks) }

  /// Executes all jobs in one transaction. When it throws, nothing of the group is stored.
  func apply(
    _ group: [StoreJob], now: WallInstant, _ timer: CommitTimer? = nil
  ) throws(DatabaseError) -> [StoreResult] {
    var results: [StoreResult] = []
    results.reserveCapacity(group.count)
    evictedFromQuarantine = 0
    var commitStart: MonotonicInstant?
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      for job in group { results.append(try perform(job, now: now.millisecondsSince1970)) }
      try devices.flush()
      if configuration.spillsToDisk { try spill() }
      commitStart = timer?.now()
    }
    if let timer, let commitStart { timer.record(since: commitStart) }
    devices.trim()
    publish()
    return results
  }

  /// Completes what a killed process left unfinished.
  func recover() throws(DatabaseError) {
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in try outbox.takeBackUncertain() }
  }

  /// At each commit SQLite scans all changed pages of an unnamed database three times, and keeps them until they fill a quarter
  /// of its cache (docs/decisions/0038).
  private func spill() throws(DatabaseError) {
    commits += 1
    if commits.isMultiple(of: StoreEngine.commitsBetweenSpills) { try connection.database.flushCache() }
  }

  /// Executes a small step of the work between groups. Returns whether there is more.
  func maintain(now: Int64) throws(DatabaseError) -> Bool {
    let more = try upkeep.step(partitions, sinks, &outbox, now: now)
    if more { publish() }
    return more
  }

  /// Stops the other threads of the store that use the file.
  func stop() { upkeep.stop() }

  private func perform(_ job: StoreJob, now: Int64) throws(DatabaseError) -> StoreResult {
    switch job {
    case .ingest(let batch): return try ingest(batch, now: now)
    case .queue(let command): return try outbox.add(command, now: now)
    case .takeCommands(let device, let limit): return .commands(try takeCommands(for: device, limit: limit, now: now))
    case .markDelivered(let device, let ids):
      guard let place = try devices.place(of: device) else { return .changed(0) }
      return .changed(try outbox.markDelivered(ids, device: devices.entries[place].id, now: now))
    case .returnCommands(let device, let ids):
      guard let place = try devices.place(of: device) else { return .changed(0) }
      return .changed(try outbox.takeBack(ids, of: device, devices.entries[place].id, now: now))
    case .setTags(let device, let tags): return .changed(try setTags(tags, of: device, now: now))
    case .beginFamily(let family): return .family(try tokens.begin(family, now: now))
    case .rotate(let rotation): return try tokens.rotate(rotation, now: now)
    case .checkToken(let device, let credential):
      return try tokens.refusal(of: credential, for: device).map { .refused($0) } ?? .changed(0)
    case .revokeTokens(let selection): return .changed(try tokens.revoke(selection))
    case .expireTokens(let selection): return .changed(try tokens.expire(selection, now: now))
    case .keepLog(let log): return .changed(try keep(log, now: now))
    case .delete(let device): return .changed(try delete(device))
    case .clearQuarantine(let selection, let limit): return .changed(try clearQuarantine(selection, limit: limit))
    case .reset(let run): return .changed(try reset(run))
    case .advance(let advance): return .changed(try sinks.advance(advance, partitions))
    case .read: return .changed(0)
    }
  }

  /// Executes the queries of a finished group.
  func read(_ group: [StoreJob]) {
    for case .read(let body) in group { body(SQLiteReader(on: connection)) }
  }

  /// Returns whether a file that is small enough to be read completely at a start has a damaged page. In a larger file damage
  /// shows when the page is read.
  func isFoundDamaged() throws(DatabaseError) -> Bool {
    let bytes = try connection.database.integer("PRAGMA page_count") * connection.database.integer("PRAGMA page_size")
    guard bytes <= configuration.limits.checkedBytes else { return false }
    return try !connection.database.problems(.quick).isEmpty
  }

  /// Commits as much as a group of some size would, to test the disk, and deletes it again.
  func probe() throws(DatabaseError) {
    let bytes = Int64(configuration.limits.probeBytes)
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      _ = try connection.run("INSERT INTO probe(bytes) VALUES(zeroblob(?1))", bytes)
    }
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      _ = try connection.run("DELETE FROM probe")
    }
  }
}

extension StoreEngine {
  func ingest(_ batch: IngestBatch, now: Int64) throws(DatabaseError) -> StoreResult {
    if let credential = batch.credential, let refusal = try tokens.refusal(of: credential, for: batch.device) {
      return .refused(refusal)
    }
    var receipt = IngestReceipt()
    let place = try devices.makePlace(of: batch.device, now: now)
    try insertPoints(of: batch, place: place, now: now, into: &receipt)
    for item in batch.quarantined {
      let isNew = try quarantine(item, of: batch, device: devices.entries[place].id)
      if isNew { receipt.quarantined += 1 } else { receipt.duplicate += 1 }
    }
    precondition(
      receipt.accepted + receipt.duplicate + receipt.quarantined == batch.points.count + batch.quarantined.count,
      "a receipt names the fate of every record of its batch")
    try makeRoomInQuarantine(for: receipt.quarantined, of: devices.entries[place])
    devices.change(place) {
      $0.lastSeen = max($0.lastSeen, batch.receivedAt.millisecondsSince1970)
      $0.points += Int64(receipt.accepted)
      $0.duplicates += Int64(receipt.duplicate)
      $0.quarantined += Int64(receipt.quarantined)
    }
    receipt.confirmed = try outbox.confirm(by: batch.points, device: devices.entries[place].id, now: now)
    receipt.commands = try takeCommands(at: place, limit: batch.commandLimit, now: now)
    return .ingested(receipt)
  }

  private func insertPoints(
    of batch: IngestBatch, place: Int, now: Int64, into receipt: inout IngestReceipt
  ) throws(DatabaseError) {
    let device = devices.entries[place].id
    var current: PointPartition?
    var parameters: Int64?
    let days = batch.points.lazy.map { [partitions] in partitions.day(of: $0.recordedAt, now: now) }
    guard let first = days.min(), let last = days.max() else { return }
    let receivedAt = devices.arrival(
      at: place, received: batch.receivedAt.millisecondsSince1970, days: first...last)
    for point in batch.points {
      let partition = try partitions.partition(for: point.recordedAt, now: now)
      if partition !== current {
        current = partition
        parameters = try partitions.number(ofParameters: batch.parameters, in: partition)
      }
      var isNew = true
      if partition.isShadowed { isNew = try !partitions.isInUndatedPartition(point, device: device) }
      if isNew {
        isNew = try partition.insert(
          point, of: batch, receivedAt, device: device, parameters: parameters, on: connection)
      }
      guard isNew else {
        receipt.duplicate += 1
        continue
      }
      receipt.accepted += 1
      // An impossible time says nothing about where the device is now.
      if partition.day == Day.odd {
        partitions.noteOdd(point.recordedAt)
      } else {
        devices.offer(point, to: place)
      }
    }
  }

  /// Returns false when these bytes of this device are already quarantined.
  private func quarantine(
    _ item: QuarantinedItem, of batch: IngestBatch, device: Int64
  ) throws(DatabaseError) -> Bool {
    try connection.with(
      """
      INSERT OR IGNORE INTO quarantine(device, identity, received, reason, detail, record)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let identity = item.identity.bytes
      var row = statement.start()
      row.bind(1, device)
      row.bind(2, blob: identity.span)
      row.bind(3, batch.receivedAt.millisecondsSince1970)
      row.bind(4, text: item.reason.utf8.span)
      row.bind(5, text: item.detail.utf8.span)
      row.bind(6, blob: batch.bytes.span.extracting(item.record))
      try row.run()
    }
    return connection.database.changes == 1
  }

  /// Each device has a limit of its own, so that one that sends nothing valid takes no room from others.
  private func makeRoomInQuarantine(for added: Int, of device: DeviceTable.Device) throws(DatabaseError) {
    guard configuration.limits.looksThroughQuarantine(behind: device.quarantined, adding: added) else { return }
    evictedFromQuarantine += try connection.run(
      """
      DELETE FROM quarantine WHERE device = ?1
        AND id <= (SELECT id FROM quarantine WHERE device = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, device.id, Int64(configuration.limits.quarantinePerDevice))
  }
}

extension StoreEngine {
  func takeCommands(at place: Int, limit: Int, now: Int64) throws(DatabaseError) -> [TakenCommand] {
    guard limit > 0, outbox.mayHave(for: devices.entries[place].identity, after: devices.entries[place].broadcastMark)
    else { return [] }
    var entry = devices.entries[place]
    let taken = try outbox.take(for: &entry, limit: limit, now: now)
    devices.change(place) { $0.broadcastMark = entry.broadcastMark }
    return taken
  }

  /// A device that never uploaded is added only if there may be something for it.
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

  func keep(_ log: UploadedLog, now: Int64) throws(DatabaseError) -> Int {
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

  /// Deletes the device's row at once, which makes its records invisible; rows that refer to it may be many and are deleted in
  /// steps of upkeep. Returns 1 when there was such a device, or one that had only registered.
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

  /// The counts of the devices keep the total ever quarantined.
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

  /// Returns the number of deleted devices.
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
    for table in StoreTable.allCases where table != .devices {
      try connection.run("DELETE FROM \(table.rawValue)")
    }
    return try connection.run("DELETE FROM devices")
  }

  /// Its points refer to no device afterwards, which makes them invisible; upkeep deletes them.
  private func forget(run: String) throws(DatabaseError) -> Int {
    for table in StoreTable.allCases where table.hangsOnDevice {
      try connection.run(
        "DELETE FROM \(table.rawValue) WHERE device IN (SELECT id FROM devices WHERE run = ?1)", text: run)
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
