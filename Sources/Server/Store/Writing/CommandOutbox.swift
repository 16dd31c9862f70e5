import Base
import Database

/// Commands that wait for their device. Open orders are cached in memory, so that an upload of a device without commands costs
/// one dictionary lookup.
struct CommandOutbox {
  struct Broadcast {
    let id: Int64
    let target: QueuedCommand.Target
    let expires: Int64
  }

  let connection: StoreConnection
  let limits: StoreLimits
  /// Orders for one device, by id.
  private(set) var due: [DeviceIdentity: [Int64]] = [:]
  /// Orders for tags and for everyone, by id.
  private(set) var broadcasts: [Broadcast] = []
  private var openCount = 0
  private var proofs: ProofBook

  init(on connection: StoreConnection, limits: StoreLimits) throws(DatabaseError) {
    self.connection = connection
    self.limits = limits
    proofs = try ProofBook(on: connection)
    try load()
  }

  private mutating func load() throws(DatabaseError) {
    var open: [(Int64, QueuedCommand.Target, Int64)] = []
    try connection.with(
      "SELECT id, run, kind, target, expires FROM orders WHERE is_open = 1 ORDER BY id"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        let target = try QueuedCommand.Target(
          readingKind: row.integer(at: 2), run: row.text(at: 1), text: row.text(at: 3))
        open.append((row.integer(at: 0), target, row.integer(at: 4)))
      }
    }
    for (id, target, expires) in open { remember(id, target, expires: expires) }
    var returned: [(Int64, DeviceIdentity)] = []
    try connection.with(
      """
      SELECT command, run, name FROM deliveries JOIN devices ON devices.id = device
      WHERE state = \(DeliveryState.due) ORDER BY command
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        returned.append((row.integer(at: 0), DeviceIdentity(run: row.text(at: 1), name: row.text(at: 2))))
      }
    }
    for (id, identity) in returned { makeDue(id, for: identity) }
  }

  private mutating func remember(_ id: Int64, _ target: QueuedCommand.Target, expires: Int64) {
    openCount += 1
    switch target {
    case .device(let identity): makeDue(id, for: identity)
    case .tag, .everyone: broadcasts.append(Broadcast(id: id, target: target, expires: expires))
    }
  }

  private mutating func makeDue(_ id: Int64, for identity: DeviceIdentity) {
    var ids = due[identity] ?? []
    guard !ids.contains(id) else { return }
    ids.insert(id, at: ids.firstIndex { $0 > id } ?? ids.count)
    due[identity] = ids
  }

  mutating func add(_ order: QueuedCommand, now: Int64) throws(DatabaseError) -> StoreResult {
    let (kind, run, text) = order.target.columns
    if let key = order.deduplicationKey, let id = try openOrder(key, kind, run, text, now: now) {
      return .queued(id: id, isNew: false)
    }
    if openCount >= limits.openOrders { try closeExpired(now: now) }
    guard openCount < limits.openOrders else { return .tooManyCommands }
    try connection.with(
      """
      INSERT INTO orders(run, kind, target, key, created, expires, is_open, command, proof_kind, proof_value)
      VALUES(?1, ?2, ?3, nullif(?4, ''), ?5, ?6, 1, ?7, ?8, ?9)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let key = order.deduplicationKey ?? ""
      var row = statement.start()
      row.bind(1, text: run.utf8.span)
      row.bind(2, kind)
      row.bind(3, text: text.utf8.span)
      row.bind(4, text: key.utf8.span)
      row.bind(5, now)
      row.bind(6, order.expiresAt.millisecondsSince1970)
      row.bind(7, blob: order.command.span)
      if let (kind, value) = order.proof?.columns {
        row.bind(8, kind)
        row.bind(9, value)
      } else {
        row.bindNull(8)
        row.bindNull(9)
      }
      try row.run()
    }
    let id = connection.database.lastInsertedRowID
    remember(id, order.target, expires: order.expiresAt.millisecondsSince1970)
    return .queued(id: id, isNew: true)
  }

  private func openOrder(
    _ key: String, _ kind: Int64, _ run: String, _ text: String, now: Int64
  ) throws(DatabaseError) -> Int64? {
    try connection.with(
      """
      SELECT id FROM orders WHERE is_open = 1 AND key = ?1 AND kind = ?2 AND run = ?3 AND target = ?4 AND expires > ?5
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: key.utf8.span)
      row.bind(2, kind)
      row.bind(3, text: run.utf8.span)
      row.bind(4, text: text.utf8.span)
      row.bind(5, now)
      return try row.step() ? row.integer(at: 0) : nil
    }
  }

  /// Returns whether `take` could find anything for this device.
  func mayHave(for identity: DeviceIdentity, after mark: Int64) -> Bool {
    !due.isEmpty && due[identity] != nil || broadcasts.last.map { $0.id > mark } ?? false
  }

  /// Marks the device's due commands as sent and returns them, at most `limit`; the rest waits for the next call.
  mutating func take(
    for device: inout DeviceTable.Device, limit: Int, now: Int64
  ) throws(DatabaseError) -> [TakenCommand] {
    var taken: [TakenCommand] = []
    var waiting = (due.removeValue(forKey: device.identity) ?? [])[...]
    var others = broadcasts[(broadcasts.firstIndex { $0.id > device.broadcastMark } ?? broadcasts.endIndex)...]
    // In the order in which they were queued, whatever their target: the last command wins.
    while taken.count < limit {
      if let id = waiting.first, id < others.first?.id ?? .max {
        waiting.removeFirst()
        try send(id, to: device.id, now: now, into: &taken)
        openCount -= try connection.run("UPDATE orders SET is_open = 0 WHERE id = ?1 AND kind = 0 AND is_open = 1", id)
      } else if let broadcast = others.popFirst() {
        device.broadcastMark = broadcast.id
        if broadcast.expires <= now { continue }
        if try reaches(broadcast.target, device) { try send(broadcast.id, to: device.id, now: now, into: &taken) }
      } else {
        break
      }
    }
    if !waiting.isEmpty { due[device.identity] = Array(waiting) }
    return taken
  }

  private func reaches(_ target: QueuedCommand.Target, _ device: DeviceTable.Device) throws(DatabaseError) -> Bool {
    switch target {
    case .device(let identity): return identity == device.identity
    case .everyone(let run): return run.isExactly(device.identity.run)
    case .tag(let tag, let run):
      guard run.isExactly(device.identity.run) else { return false }
      return try connection.with(
        "SELECT 1 FROM device_tags WHERE device = ?1 AND tag = ?2"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, device.id)
        row.bind(2, text: tag.utf8.span)
        return try row.step()
      }
    }
  }

  /// Skips an expired order.
  private mutating func send(
    _ id: Int64, to device: Int64, now: Int64, into taken: inout [TakenCommand]
  ) throws(DatabaseError) {
    let found: (command: [UInt8], proof: CommandProof?)? = try connection.with(
      "SELECT command, coalesce(proof_kind, 0), coalesce(proof_value, 0) FROM orders WHERE id = ?1 AND expires > ?2"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, id)
      row.bind(2, now)
      guard try row.step() else { return nil }
      return (row.blob(at: 0), CommandProof(kind: row.integer(at: 1), value: row.double(at: 2)))
    }
    guard let (command, proof) = found else { return }
    if let proof { try proofs.sent(id, proof, to: device, now: now) }
    try connection.run(
      """
      INSERT INTO deliveries(command, device, state, sent, attempts) VALUES(?1, ?2, \(DeliveryState.sent), ?3, 1)
      ON CONFLICT DO UPDATE SET state = \(DeliveryState.sent), sent = ?3, attempts = attempts + 1
      """, id, device, now)
    taken.append(TakenCommand(id: id, command: command))
  }

  /// The device has read the answer.
  func markDelivered(_ ids: [Int64], device: Int64, now: Int64) throws(DatabaseError) -> Int {
    var count = 0
    for id in ids {
      count += try connection.run(
        """
        UPDATE deliveries SET state = \(DeliveryState.delivered), confirmed = ?3
        WHERE command = ?1 AND device = ?2 AND state = \(DeliveryState.sent)
        """, id, device, now)
    }
    return count
  }

  /// Returns the commands whose effect these records of the device show.
  mutating func confirm(by points: [Point], device: Int64, now: Int64) throws(DatabaseError) -> [Int64] {
    let proven = proofs.proven(by: points, of: device)
    for id in proven {
      try connection.run(
        """
        UPDATE deliveries SET state = \(DeliveryState.confirmed), proven = ?3, confirmed = coalesce(confirmed, ?3)
        WHERE command = ?1 AND device = ?2 AND state IN (\(DeliveryState.sent), \(DeliveryState.delivered))
        """, id, device, now)
      try proofs.drop(id, of: device)
    }
    return proven
  }

  /// Called when an answer did not reach the device: its commands are due again, and their keys are open. So are all commands
  /// sent to the device after them, read or not: otherwise the older command would come last and win.
  mutating func takeBack(
    _ ids: [Int64], of identity: DeviceIdentity, _ device: Int64, now: Int64
  ) throws(DatabaseError) -> Int {
    var lost: [Int64] = []
    for id in Set(ids).sorted() where try isSent(id, to: device) { lost.append(id) }
    guard let first = lost.min() else { return 0 }
    let later = try sent(behind: first, to: device, now: now).filter { !lost.contains($0) }
    for id in lost + later { try putBack(id, of: identity, device) }
    return lost.count + later.count
  }

  private mutating func putBack(_ id: Int64, of identity: DeviceIdentity, _ device: Int64) throws(DatabaseError) {
    try connection.run(
      """
      UPDATE deliveries SET state = \(DeliveryState.due), confirmed = NULL, proven = NULL
      WHERE command = ?1 AND device = ?2
      """, id, device)
    makeDue(id, for: identity)
    openCount += try connection.run("UPDATE orders SET is_open = 1 WHERE id = ?1 AND kind = 0 AND is_open = 0", id)
    try proofs.drop(id, of: device)
  }

  private func isSent(_ id: Int64, to device: Int64) throws(DatabaseError) -> Bool {
    try connection.first(
      "SELECT 1 FROM deliveries WHERE command = ?1 AND device = ?2 AND state = \(DeliveryState.sent)", id, device)
      != nil
  }

  /// Includes delivered and confirmed commands, but no expired ones.
  private func sent(behind first: Int64, to device: Int64, now: Int64) throws(DatabaseError) -> [Int64] {
    try connection.with(
      """
      SELECT deliveries.command FROM deliveries JOIN orders ON id = deliveries.command
      WHERE device = ?1 AND deliveries.command > ?2 AND state <> \(DeliveryState.due) AND expires > ?3
      ORDER BY deliveries.command
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, device)
      row.bind(2, first)
      row.bind(3, now)
      var ids: [Int64] = []
      while try row.step() { ids.append(row.integer(at: 0)) }
      return ids
    }
  }

  /// The process that sent them was killed, and its knowledge of their answers is lost. A device that has not called since may
  /// never have got them: sending twice is the lesser error, because commands describe a target state.
  mutating func takeBackUncertain() throws(DatabaseError) {
    var uncertain: [(id: Int64, device: Int64, identity: DeviceIdentity)] = []
    try connection.with(
      """
      SELECT command, devices.id, run, name FROM deliveries JOIN devices ON devices.id = device
      WHERE state = \(DeliveryState.sent) AND sent >= last_seen
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        let identity = DeviceIdentity(run: row.text(at: 2), name: row.text(at: 3))
        uncertain.append((row.integer(at: 0), row.integer(at: 1), identity))
      }
    }
    for each in uncertain { try putBack(each.id, of: each.identity, each.device) }
  }

  /// Called when a device is deleted: removes the orders for it alone, fetched or not.
  mutating func delete(ordersFor device: DeviceIdentity) throws(DatabaseError) {
    due[device] = nil
    openCount -= try change("UPDATE orders SET is_open = 0 WHERE is_open = 1", ordersFor: device)
    _ = try change("DELETE FROM orders WHERE true", ordersFor: device)
  }

  private func change(_ sql: String, ordersFor device: DeviceIdentity) throws(DatabaseError) -> Int {
    try connection.with(
      sql + " AND run = ?1 AND kind = 0 AND target = ?2"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: device.run.utf8.span)
      row.bind(2, text: device.name.utf8.span)
      try row.run()
    }
    return Int(connection.database.changes)
  }

  mutating func closeExpired(now: Int64) throws(DatabaseError) {
    let closed = try connection.run("UPDATE orders SET is_open = 0 WHERE is_open = 1 AND expires <= ?1", now)
    if closed > 0 { try reload() }
  }

  mutating func reload() throws(DatabaseError) {
    self = try CommandOutbox(on: connection, limits: limits)
  }
}
