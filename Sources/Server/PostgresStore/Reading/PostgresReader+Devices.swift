import Base
import Database
package import Store

extension PostgresReader {
  private static let columns = """
    id, run, name, first_seen, last_seen, points, duplicates, quarantined, latest_at, latest_uuid, latitude, longitude,
    accuracy, speed, heading, is_moving, event
    """

  package func devices(run: String?, after id: Int64?, limit: Int) throws(StoreError) -> Page<StoredDevice, Int64> {
    let condition = run == nil ? "" : "AND run = $3::text"
    let devices = try find(
      "SELECT \(Self.columns) FROM devices WHERE id > $1::int8 \(condition) ORDER BY id LIMIT $2::int8",
      [.integer(id ?? 0), .integer(Int64(limit))] + (run.map { [.text($0)] } ?? [])
    ) { $0.device() }
    return Page(elements: devices, next: devices.count == limit ? devices.last?.id : nil)
  }

  package func device(_ identity: DeviceIdentity) throws(StoreError) -> StoredDevice? {
    try find(
      "SELECT \(Self.columns) FROM devices WHERE run = $1::text AND name = $2::text",
      [.text(identity.run), .text(identity.name)]
    ) { $0.device() }.first
  }

  package func runs(named run: String?, limit: Int) throws(StoreError) -> [StoredRun] {
    let condition = run == nil ? "" : "WHERE run = $2::text"
    return try find(
      """
      SELECT run, count(*), sum(points)::bigint, sum(duplicates)::bigint, sum(quarantined)::bigint, min(first_seen),
        max(last_seen) AS latest
      FROM devices \(condition) GROUP BY run ORDER BY latest DESC, run LIMIT $1::int8
      """, [.integer(Int64(limit))] + (run.map { [.text($0)] } ?? [])
    ) { row in
      StoredRun(
        run: row.text(0), devices: row.integer(1), points: row.integer(2), duplicates: row.integer(3),
        quarantined: row.integer(4), firstSeen: row.integer(5), lastSeen: row.integer(6))
    }
  }

  package func otherRuns(
    of name: String?, than run: String, limit: Int
  ) throws(StoreError) -> [(run: String, points: Int64)] {
    let condition = name == nil ? "" : "AND name = $3::text"
    return try find(
      """
      SELECT run, sum(points)::bigint AS stored FROM devices WHERE run <> $1::text \(condition)
      GROUP BY run ORDER BY stored DESC, run LIMIT $2::int8
      """, [.text(run), .integer(Int64(limit))] + (name.map { [.text($0)] } ?? [])
    ) { (run: $0.text(0), points: $0.integer(1)) }
  }

  package func tags() throws(StoreError) -> [(device: DeviceIdentity, tag: String)] {
    try find("SELECT run, name, tag FROM device_tags JOIN devices ON devices.id = device ORDER BY device, tag", []) {
      (device: DeviceIdentity(run: $0.text(0), name: $0.text(1)), tag: $0.text(2))
    }
  }

  package func tags(of identity: DeviceIdentity) throws(StoreError) -> [String] {
    try find(
      """
      SELECT tag FROM device_tags WHERE device = (SELECT id FROM devices WHERE run = $1::text AND name = $2::text) ORDER BY tag
      """, [.text(identity.run), .text(identity.name)]
    ) { $0.text(0) }
  }
}

extension PostgresRow {
  fileprivate func device() -> StoredDevice {
    var device = StoredDevice(
      id: integer(0), identity: DeviceIdentity(run: text(1), name: text(2)), firstSeen: integer(3),
      lastSeen: integer(4), points: integer(5), duplicates: integer(6), quarantined: integer(7))
    guard !isNull(8) else { return device }
    device.latest = StoredDevice.Position(
      recordedAt: integer(8), uuid: uuid(9), latitude: double(10), longitude: double(11),
      accuracy: optionalDouble(12), speed: optionalDouble(13), heading: optionalDouble(14), isMoving: optionalFlag(15),
      event: optionalText(16))
    return device
  }
}
