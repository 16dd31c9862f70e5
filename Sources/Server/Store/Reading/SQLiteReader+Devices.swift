import Base
import Database

extension SQLiteReader {
  private static let columns = """
    id, run, name, first_seen, last_seen, points, duplicates, quarantined, latest_at, latest_uuid, latitude, longitude,
    accuracy, speed, heading, is_moving, event
    """

  package func devices(
    run: String?, after id: Int64?, limit: Int
  ) throws(StoreError) -> Page<StoredDevice, Int64> {
    try ask { () throws(DatabaseError) in
      let filter = run ?? ""
      let sql = "SELECT \(Self.columns) FROM devices WHERE id > ?1 AND (?2 OR run = ?3) ORDER BY id LIMIT ?4"
      let devices = try connection.with(sql) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, id ?? 0)
        row.bind(2, run == nil ? 1 : 0 as Int64)
        row.bind(3, text: filter.utf8.span)
        row.bind(4, Int64(limit))
        var devices: [StoredDevice] = []
        while try row.step() { devices.append(row.device()) }
        return devices
      }
      return Page(elements: devices, next: devices.count == limit ? devices.last?.id : nil)
    }
  }

  package func device(_ identity: DeviceIdentity) throws(StoreError) -> StoredDevice? {
    try ask { () throws(DatabaseError) in
      let sql = "SELECT \(Self.columns) FROM devices WHERE run = ?1 AND name = ?2"
      let found: StoredDevice? = try connection.with(sql) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: identity.run.utf8.span)
        row.bind(2, text: identity.name.utf8.span)
        return try row.step() ? row.device() : nil
      }
      return found
    }
  }

  package func runs(named run: String?, limit: Int) throws(StoreError) -> [StoredRun] {
    try ask { () throws(DatabaseError) in
      try connection.with(
        """
        SELECT run, count(*), sum(points), sum(duplicates), sum(quarantined), min(first_seen), max(last_seen) AS latest
        FROM devices WHERE ?1 OR run = ?2 GROUP BY run ORDER BY latest DESC, run LIMIT ?3
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, run == nil ? 1 : 0 as Int64)
        row.bind(2, text: (run ?? "").utf8.span)
        row.bind(3, Int64(limit))
        var runs: [StoredRun] = []
        while try row.step() {
          runs.append(
            StoredRun(
              run: row.text(at: 0), devices: row.integer(at: 1), points: row.integer(at: 2),
              duplicates: row.integer(at: 3), quarantined: row.integer(at: 4), firstSeen: row.integer(at: 5),
              lastSeen: row.integer(at: 6)))
        }
        return runs
      }
    }
  }

  package func otherRuns(
    of name: String?, than run: String, limit: Int
  ) throws(StoreError) -> [(run: String, points: Int64)] {
    try ask { () throws(DatabaseError) in
      let wanted = name ?? ""
      return try connection.with(
        """
        SELECT run, sum(points) AS stored FROM devices WHERE run <> ?1 AND (?2 OR name = ?3)
        GROUP BY run ORDER BY stored DESC, run LIMIT ?4
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, text: run.utf8.span)
        row.bind(2, name == nil ? 1 : 0 as Int64)
        row.bind(3, text: wanted.utf8.span)
        row.bind(4, Int64(limit))
        var runs: [(run: String, points: Int64)] = []
        while try row.step() { runs.append((row.text(at: 0), row.integer(at: 1))) }
        return runs
      }
    }
  }

  package func tags() throws(StoreError) -> [(device: DeviceIdentity, tag: String)] {
    try ask { () throws(DatabaseError) in
      try connection.with(
        "SELECT run, name, tag FROM device_tags CROSS JOIN devices ON devices.id = device ORDER BY device, tag"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        var tags: [(device: DeviceIdentity, tag: String)] = []
        while try row.step() {
          tags.append((DeviceIdentity(run: row.text(at: 0), name: row.text(at: 1)), row.text(at: 2)))
        }
        return tags
      }
    }
  }

  package func tags(of identity: DeviceIdentity) throws(StoreError) -> [String] {
    try ask { () throws(DatabaseError) in
      guard let id = try identifier(of: identity) else { return [] }
      return try connection.with(
        "SELECT tag FROM device_tags WHERE device = ?1 ORDER BY tag"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, id)
        var tags: [String] = []
        while try row.step() { tags.append(row.text(at: 0)) }
        return tags
      }
    }
  }
}

extension Execution {
  fileprivate func device() -> StoredDevice {
    var device = StoredDevice(
      id: integer(at: 0), identity: DeviceIdentity(run: text(at: 1), name: text(at: 2)), firstSeen: integer(at: 3),
      lastSeen: integer(at: 4), points: integer(at: 5), duplicates: integer(at: 6), quarantined: integer(at: 7))
    guard !isNull(at: 8) else { return device }
    device.latest = StoredDevice.Position(
      recordedAt: integer(at: 8), uuid: uuid(at: 9), latitude: double(at: 10), longitude: double(at: 11),
      accuracy: optionalDouble(at: 12), speed: optionalDouble(at: 13), heading: optionalDouble(at: 14),
      isMoving: optionalInteger(at: 15).map { $0 == 1 }, event: optionalText(at: 16))
    return device
  }
}
