import Base
import Database

/// Everything that hangs on one open connection of the writer. What it remembers is what the database holds; after a
/// transaction that failed it is thrown away and made again.
final class StoreEngine {
  let connection: StoreConnection
  let configuration: StoreConfiguration
  let partitions: PartitionSet
  var devices: DeviceTable
  var outbox: CommandOutbox
  var tokens: TokenRegistry
  var upkeep: Upkeep

  init(on connection: StoreConnection, _ configuration: StoreConfiguration) throws(DatabaseError) {
    self.connection = connection
    self.configuration = configuration
    partitions = try PartitionSet(on: connection, limits: configuration.limits)
    devices = try DeviceTable(on: connection, capacity: configuration.limits.cachedDevices)
    outbox = try CommandOutbox(on: connection, limits: configuration.limits)
    tokens = TokenRegistry(on: connection, capacity: configuration.limits.cachedDevices)
    upkeep = Upkeep(configuration)
  }

  /// All jobs in one transaction. Whatever is thrown, nothing of the group is stored.
  func apply(
    _ group: [StoreJob], now: WallInstant, _ timer: CommitTimer? = nil
  ) throws(DatabaseError) -> [StoreResult] {
    var results: [StoreResult] = []
    results.reserveCapacity(group.count)
    var commitStart: MonotonicInstant?
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      for job in group { results.append(try perform(job, now: now.millisecondsSince1970)) }
      try devices.flush()
      commitStart = timer?.now()
    }
    if let timer, let commitStart { timer.record(since: commitStart) }
    devices.trim()
    return results
  }

  private func perform(_ job: StoreJob, now: Int64) throws(DatabaseError) -> StoreResult {
    switch job {
    case .ingest(let batch): return try ingest(batch, now: now)
    case .order(let order): return try outbox.add(order, now: now)
    case .takeCommands(let device, let limit): return .commands(try takeCommands(for: device, limit: limit, now: now))
    case .markDelivered(let device, let ids):
      guard let place = try devices.place(of: device) else { return .changed(0) }
      return .changed(try outbox.markDelivered(ids, device: devices.entries[place].id, now: now))
    case .returnCommands(let device, let ids):
      guard let place = try devices.place(of: device) else { return .changed(0) }
      return .changed(try outbox.takeBack(ids, device: devices.entries[place]))
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
    case .read: return .changed(0)
    }
  }

  /// The reading jobs of a group that is through.
  func read(_ group: [StoreJob]) {
    for case .read(let body) in group { body(StoreReader(on: connection)) }
  }

  /// Of a file that is small enough to be read whole at a start: whether a page of it is damaged. In a larger one that shows when
  /// the page is met.
  func isFoundDamaged() throws(DatabaseError) -> Bool {
    let bytes = try connection.database.integer("PRAGMA page_count") * connection.database.integer("PRAGMA page_size")
    guard bytes <= configuration.limits.checkedBytes else { return false }
    return try !connection.database.problems(.quick).isEmpty
  }

  /// Commits as much as a group of some size would, to see whether the disk takes it, and takes it out again.
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
