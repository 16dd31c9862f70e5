import Base
import Database
package import Store

extension PostgresReader {
  package func history(
    of device: DeviceIdentity, from: Int64, to: Int64, after cursor: PointCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor> {
    precondition(limit > 0, "a page of nothing never ends")
    var after = cursor ?? PointCursor(recordedAt: .min, group: 0, row: 0)
    if after.recordedAt < from { after = PointCursor(recordedAt: from, group: 0, row: 0) }
    // One more than requested shows whether there is a next page. The simple bound in addition to the three allows partition
    // pruning.
    let points = try find(
      """
      SELECT recorded_at, arrived_in, n, uuid, received_at, latitude, longitude, accuracy, speed, heading, is_moving,
        event, record, json
      FROM points LEFT JOIN parameters ON digest = parameters AND day = recorded_at / 86400000
      WHERE device = (SELECT id FROM devices WHERE run = $1::text AND name = $2::text)
        AND recorded_at >= $3::int8 AND recorded_at < $6::int8
        AND (recorded_at, arrived_in, n) > ($3::int8, $4::int8, $5::int8)
      ORDER BY recorded_at, arrived_in, n LIMIT $7::int8
      """,
      [
        .text(device.run), .text(device.name), .integer(after.recordedAt), .integer(after.group), .integer(after.row),
        .integer(to), .integer(Int64(limit) + 1),
      ]
    ) { $0.point() }
    return Page(elements: Array(points.prefix(limit)), next: points.count > limit ? points[limit - 1].cursor : nil)
  }
}

extension PostgresRow {
  fileprivate func point() -> StoredPoint {
    StoredPoint(
      cursor: PointCursor(recordedAt: integer(0), group: integer(1), row: integer(2)), uuid: uuid(3),
      recordedAt: integer(0), receivedAt: integer(4), latitude: optionalDouble(5), longitude: optionalDouble(6),
      accuracy: optionalDouble(7), speed: optionalDouble(8), heading: optionalDouble(9), isMoving: optionalFlag(10),
      event: optionalText(11), record: blob(12), parameters: isNull(13) ? [] : blob(13))
  }
}
