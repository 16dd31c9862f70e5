import Base
import Database

/// The devices, cached in memory as the writer uses them and written once per group.
struct DeviceTable: ~Copyable {
  struct Device {
    let id: Int64
    let identity: DeviceIdentity
    var lastSeen: Int64
    var points: Int64
    var duplicates: Int64
    var quarantined: Int64
    /// The last order to tags or to everyone that was considered for the device.
    var broadcastMark: Int64
    /// The recorded time of the latest position; nil before the first.
    var latestAt: Int64?
    /// The latest position of the current group, to be written.
    var latest: Point?
    var isChanged = false
    /// The last upload since the device was cached, with the latest of its days.
    var lastArrival: (at: Int64, day: Int64)?
  }

  let connection: StoreConnection
  let capacity: Int
  private(set) var entries: [Device] = []
  private var places: [DeviceIdentity: Int] = [:]
  private var changed: [Int] = []
  /// The latest arrival of any device since the table was made.
  private var latestArrival: Int64 = 0
  private var statements: DeviceStatements

  init(on connection: StoreConnection, capacity: Int) throws(DatabaseError) {
    self.connection = connection
    self.capacity = capacity
    statements = try DeviceStatements(connection.database)
  }

  /// Returns the index of the device in `entries`; nil when it was never seen. Valid until the end of the group.
  mutating func place(of identity: DeviceIdentity) throws(DatabaseError) -> Int? {
    if let place = places[identity] { return place }
    guard let entry = try read(identity) else { return nil }
    return remember(entry)
  }

  mutating func makePlace(of identity: DeviceIdentity, now: Int64) throws(DatabaseError) -> Int {
    if let place = try place(of: identity) { return place }
    try connection.with(
      """
      INSERT INTO devices(run, name, first_seen, last_seen, points, duplicates, quarantined, broadcast_mark)
      VALUES(?1, ?2, ?3, ?3, 0, 0, 0, 0)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: identity.run.utf8.span)
      row.bind(2, text: identity.name.utf8.span)
      row.bind(3, now)
      try row.run()
    }
    return remember(
      Device(
        id: connection.database.lastInsertedRowID, identity: identity, lastSeen: now, points: 0, duplicates: 0,
        quarantined: 0, broadcastMark: 0))
  }

  /// Changes an entry, which `flush` will write.
  mutating func change(_ place: Int, _ body: (inout Device) -> Void) {
    body(&entries[place])
    guard !entries[place].isChanged else { return }
    entries[place].isChanged = true
    changed.append(place)
  }

  /// Returns the arrival time to store for an upload with records of these days. Records of several days are forwarded in the
  /// order of that time and then of their days (`SQLiteReader.records`). The times of all devices therefore never go back by
  /// less than a second, although each loop stamps its own requests at their heads, and an upload with an earlier day than the
  /// device's last one of the same millisecond gets a time one later.
  mutating func arrival(at place: Int, received: Int64, days: ClosedRange<Int64>) -> Int64 {
    var time = latestArrival - received < DeviceTable.slipMilliseconds ? max(received, latestArrival) : received
    if let last = entries[place].lastArrival, last.at == time, days.lowerBound < last.day { time += 1 }
    entries[place].lastArrival = (time, days.upperBound)
    latestArrival = time
    return time
  }

  /// A larger step back is stored as it is: the clock was set, or a body took that long.
  private static let slipMilliseconds: Int64 = 1_000

  /// Makes the point the latest position when its recorded time is newer.
  mutating func offer(_ point: Point, to place: Int) {
    guard point.latitude != nil, point.longitude != nil, point.recordedAt > entries[place].latestAt ?? 0 else { return }
    change(place) {
      $0.latestAt = point.recordedAt
      $0.latest = point
    }
  }

  private mutating func remember(_ entry: Device) -> Int {
    entries.append(entry)
    places[entry.identity] = entries.count - 1
    return entries.count - 1
  }

  private func read(_ identity: DeviceIdentity) throws(DatabaseError) -> Device? {
    try connection.with(
      """
      SELECT id, last_seen, points, duplicates, quarantined, broadcast_mark, latest_at
      FROM devices WHERE run = ?1 AND name = ?2
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: identity.run.utf8.span)
      row.bind(2, text: identity.name.utf8.span)
      guard try row.step() else { return nil }
      return Device(
        id: row.integer(at: 0), identity: identity, lastSeen: row.integer(at: 1), points: row.integer(at: 2),
        duplicates: row.integer(at: 3), quarantined: row.integer(at: 4), broadcastMark: row.integer(at: 5),
        latestAt: row.isNull(at: 6) ? nil : row.integer(at: 6))
    }
  }

  /// Writes the changes of the group. Must be called at the end of its transaction.
  mutating func flush() throws(DatabaseError) {
    for place in changed {
      try statements.write(entries[place])
      entries[place].isChanged = false
      entries[place].latest = nil
    }
    changed.removeAll(keepingCapacity: true)
  }

  /// Removes a deleted device; `flush` must have been called before. Its index is not reused.
  mutating func remove(_ place: Int) { places[entries[place].identity] = nil }

  /// Called between groups: bounds the memory.
  mutating func trim() {
    if entries.count > capacity { forget() }
  }

  /// Called after a group that was not committed, or a reset: the cache may differ from the database.
  mutating func forget() {
    entries.removeAll()
    places.removeAll()
    changed.removeAll()
  }
}

/// The statements that write a group's changes of a device.
struct DeviceStatements: ~Copyable {
  private var counts: Statement
  private var countsAndLatest: Statement
}

extension DeviceStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    let counts =
      "UPDATE devices SET last_seen = ?2, points = ?3, duplicates = ?4, quarantined = ?5, broadcast_mark = ?6"
    self.init(
      counts: try connection.prepare("\(counts) WHERE id = ?1"),
      countsAndLatest: try connection.prepare(
        """
        \(counts), latest_at = ?7, latest_uuid = ?8, latitude = ?9, longitude = ?10, accuracy = ?11, speed = ?12,
        heading = ?13, is_moving = ?14, event = ?15 WHERE id = ?1
        """))
  }

  /// Uses one statement per device: a group of single uploads has as many devices as records.
  mutating func write(_ entry: DeviceTable.Device) throws(DatabaseError) {
    guard let point = entry.latest else {
      var row = counts.start()
      row.bind(countsOf: entry)
      return try row.run()
    }
    let uuid = point.uuid.bytes
    let event = point.event ?? ""
    let eventBytes = event.utf8.span
    var row = countsAndLatest.start()
    row.bind(countsOf: entry)
    row.bind(7, point.recordedAt)
    row.bind(8, blob: uuid.span)
    row.bind(from: 9, positionOf: point)
    if eventBytes.isEmpty { row.bindNull(15) } else { row.bind(15, text: eventBytes) }
    try row.run()
  }
}

extension Execution {
  fileprivate mutating func bind(countsOf entry: DeviceTable.Device) {
    bind(1, entry.id)
    bind(2, entry.lastSeen)
    bind(3, entry.points)
    bind(4, entry.duplicates)
    bind(5, entry.quarantined)
    bind(6, entry.broadcastMark)
  }
}
