import Base
import Database
import Store

/// The devices of a set of jobs. Their rows stay locked until the transaction ends, so that only one node at a time changes the
/// data of a device; they are locked in a fixed order, so that nodes do not deadlock.
final class LockedDevices {
  struct Device {
    let identity: DeviceIdentity
    /// The id of the row; nil while there is none.
    var id: Int64?
    var lastSeen: Int64
    var points: Int64 = 0
    var duplicates: Int64 = 0
    var quarantined: Int64 = 0
    /// The count before these jobs.
    var quarantinedBefore: Int64 = 0
    /// The last order to tags or to everyone that was considered for the device.
    var broadcastMark: Int64 = 0
    /// The recorded time of the latest position; nil before the first.
    var latestAt: Int64?
    /// The latest position of these jobs, to be written.
    var latest: Point?
    var isChanged = false
    /// Whether a row must be added, or was.
    var isMade = false
  }

  private(set) var all: [Device] = []
  private var places: [DeviceIdentity: Int] = [:]
  /// The devices to add.
  private var made: [Int] = []

  subscript(_ place: Int) -> Device { all[place] }

  func change(_ place: Int, _ body: (inout Device) -> Void) {
    body(&all[place])
    all[place].isChanged = true
  }

  /// Adds a device that the jobs need.
  func add(_ identity: DeviceIdentity) {
    guard places[identity] == nil else { return }
    places[identity] = all.count
    all.append(Device(identity: identity, id: nil, lastSeen: 0))
  }

  func placeIfAsked(of identity: DeviceIdentity) -> Int? { places[identity] }

  func place(of identity: DeviceIdentity) -> Int {
    guard let place = places[identity] else { preconditionFailure("a device of these jobs was not asked for") }
    return place
  }

  /// Marks the device for a new row, which gets its number from the next `enter`.
  func make(_ place: Int, now: Int64) {
    guard all[place].id == nil, !all[place].isMade else { return }
    all[place].isMade = true
    all[place].lastSeen = now
    made.append(place)
  }

  /// Makes the point the latest position when its recorded time is newer.
  func offer(_ point: Point, to place: Int) {
    guard point.latitude != nil, point.longitude != nil, point.recordedAt > all[place].latestAt ?? 0 else { return }
    change(place) {
      $0.latestAt = point.recordedAt
      $0.latest = point
    }
  }
}

extension LockedDevices {
  /// Reads and locks the existing rows.
  func load(_ round: PostgresRound) throws(PostgresRound.Failure) {
    guard !all.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(texts: all, of: { $0.identity.run })
    arguments.add(texts: all, of: { $0.identity.name })
    try round.send(
      """
      SELECT place, id, broadcast_mark, latest_at, quarantined
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(run, name, place) JOIN devices USING (run, name)
      ORDER BY id FOR NO KEY UPDATE OF devices
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        let place = Int(result.integer(row, 0)) - 1
        all[place].id = result.integer(row, 1)
        all[place].broadcastMark = result.integer(row, 2)
        all[place].latestAt = result.optionalInteger(row, 3)
        all[place].quarantinedBefore = result.integer(row, 4)
      }
    }
  }

  /// The number of ids that `enter` needs.
  var countWithoutNumber: Int { made.count }

  /// Adds the new rows. When another node adds one of them at the same time, this fails and the group starts again.
  func enter(_ round: PostgresRound, numbers: [Int64]) throws(PostgresRound.Failure) {
    precondition(numbers.count == made.count, "each new device has a number")
    guard !made.isEmpty else { return }
    for (place, id) in zip(made, numbers) { all[place].id = id }
    let sorted = made.sorted {
      (all[$0].identity.run, all[$0].identity.name) < (all[$1].identity.run, all[$1].identity.name)
    }
    made.removeAll()
    var arguments = PostgresArguments()
    arguments.add(integers: sorted, of: { all[$0].id })
    arguments.add(texts: sorted, of: { all[$0].identity.run })
    arguments.add(texts: sorted, of: { all[$0].identity.name })
    arguments.add(integers: sorted, of: { all[$0].lastSeen })
    try round.send(
      """
      INSERT INTO devices(id, run, name, first_seen, last_seen)
      SELECT id, run, name, seen, seen FROM unnest($1::int8[], $2::text[], $3::text[], $4::int8[]) AS made(id, run, name, seen)
      """, arguments)
  }

  /// Writes the changes, each row once.
  func write(_ round: PostgresRound) throws(PostgresRound.Failure) {
    let changed = all.indices.filter { all[$0].isChanged }
    guard !changed.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: changed, of: { all[$0].id })
    arguments.add(integers: changed, of: { all[$0].lastSeen })
    arguments.add(integers: changed, of: { all[$0].points })
    arguments.add(integers: changed, of: { all[$0].duplicates })
    arguments.add(integers: changed, of: { all[$0].quarantined })
    arguments.add(integers: changed, of: { all[$0].broadcastMark })
    arguments.add(integers: changed, of: { place in all[place].latest.map { $0.recordedAt } })
    arguments.add(uuids: changed, of: { all[$0].latest?.uuid })
    arguments.add(doubles: changed, of: { all[$0].latest?.latitude })
    arguments.add(doubles: changed, of: { all[$0].latest?.longitude })
    arguments.add(doubles: changed, of: { all[$0].latest?.accuracy })
    arguments.add(doubles: changed, of: { all[$0].latest?.speed })
    arguments.add(doubles: changed, of: { all[$0].latest?.heading })
    arguments.add(flags: changed, of: { all[$0].latest?.isMoving })
    arguments.add(texts: changed, of: { all[$0].latest?.storedEvent })
    try round.send(Self.update, arguments)
  }

  private static let update = """
    UPDATE devices SET last_seen = greatest(devices.last_seen, new.last_seen), points = devices.points + new.points,
      duplicates = devices.duplicates + new.duplicates, quarantined = devices.quarantined + new.quarantined,
      broadcast_mark = new.broadcast_mark, latest_at = coalesce(new.latest_at, devices.latest_at),
      latest_uuid = coalesce(new.latest_uuid, devices.latest_uuid),
      latitude = CASE WHEN new.latest_at IS NULL THEN devices.latitude ELSE new.latitude END,
      longitude = CASE WHEN new.latest_at IS NULL THEN devices.longitude ELSE new.longitude END,
      accuracy = CASE WHEN new.latest_at IS NULL THEN devices.accuracy ELSE new.accuracy END,
      speed = CASE WHEN new.latest_at IS NULL THEN devices.speed ELSE new.speed END,
      heading = CASE WHEN new.latest_at IS NULL THEN devices.heading ELSE new.heading END,
      is_moving = CASE WHEN new.latest_at IS NULL THEN devices.is_moving ELSE new.is_moving END,
      event = CASE WHEN new.latest_at IS NULL THEN devices.event ELSE new.event END
    FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::uuid[],
      $9::float8[], $10::float8[], $11::float8[], $12::float8[], $13::float8[], $14::bool[], $15::text[])
      AS new(id, last_seen, points, duplicates, quarantined, broadcast_mark, latest_at, latest_uuid, latitude, longitude,
        accuracy, speed, heading, is_moving, event)
    WHERE devices.id = new.id
    """
}

extension Point {
  /// The event to store; nil for plain tracking.
  var storedEvent: String? { event.flatMap { $0.isEmpty ? nil : $0 } }
}

/// Adds a column of values, one for each row.
extension PostgresArguments {
  mutating func add<Rows: Collection>(integers rows: Rows, of value: (Rows.Element) -> Int64?) {
    var array = PostgresArray(of: .int64, capacity: rows.count)
    for row in rows { array.append(value(row)) }
    add(array)
  }

  mutating func add<Rows: Collection>(doubles rows: Rows, of value: (Rows.Element) -> Double?) {
    var array = PostgresArray(of: .double, capacity: rows.count)
    for row in rows { array.append(value(row)) }
    add(array)
  }

  mutating func add<Rows: Collection>(flags rows: Rows, of value: (Rows.Element) -> Bool?) {
    var array = PostgresArray(of: .bool, capacity: rows.count)
    for row in rows { array.append(value(row)) }
    add(array)
  }

  mutating func add<Rows: Collection>(texts rows: Rows, of value: (Rows.Element) -> String?) {
    var array = PostgresArray(of: .text, capacity: rows.count)
    for row in rows { array.append(value(row)) }
    add(array)
  }

  mutating func add<Rows: Collection>(uuids rows: Rows, of value: (Rows.Element) -> UUID128?) {
    var array = PostgresArray(of: .uuid, capacity: rows.count * 2)
    for row in rows {
      if let uuid = value(row) { array.append(uuidHigh: uuid.high, low: uuid.low) } else { array.appendNull() }
    }
    add(array)
  }

  mutating func add<Rows: Collection>(blobs rows: Rows, of value: (Rows.Element) -> [UInt8]?) {
    var array = PostgresArray(of: .bytes, capacity: rows.count * 4)
    for row in rows {
      if let blob = value(row) { array.append(blob: blob) } else { array.appendNull() }
    }
    add(array)
  }
}

extension PostgresResult {
  func identity(_ row: Int, _ column: Int) -> UUID128? {
    uuid(row, column).map { UUID128(high: $0.high, low: $0.low) }
  }
}
