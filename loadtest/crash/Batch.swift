import Base
import Store

/// One upload of a client. Everything about it follows from its two numbers and its size, so that what is found in the
/// store can be traced back to it.
struct Batch: Sendable {
  let client: Int
  let number: Int
  let count: Int

  var device: String { "c\(client)" }

  private static let firstInstant: Int64 = 1_785_263_663_000
  private static let days = 3

  func key(_ index: Int) -> PointKey {
    let day = Int64(number % Batch.days) * WallInstant.millisecondsPerDay
    return PointKey(
      recordedAt: Batch.firstInstant + day + Int64(number * 1_000 + index),
      uuid: UUID128(high: UInt64(client) << 32 | UInt64(number), low: UInt64(index + 1)))
  }

  /// The client and the number of the batch that a stored key belongs to, and the place of the record in it.
  static func origin(of key: PointKey) -> (client: Int, number: Int, index: Int) {
    (Int(key.uuid.high >> 32), Int(key.uuid.high & 0xFFFF_FFFF), Int(truncatingIfNeeded: key.uuid.low) - 1)
  }

  /// The whole request, the same bytes every time.
  var request: [UInt8] {
    var body = Array("{\"batch\":\(number),\"device_id\":\"\(device)\",\"locations\":[".utf8)
    for index in 0..<count {
      let key = key(index)
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += Array("{\"uuid\":\"".utf8)
      key.uuid.append(upperCaseTextTo: &body)
      body += Array("\",\"timestamp\":\"".utf8)
      WallInstant(millisecondsSince1970: key.recordedAt).append(iso8601To: &body)
      body += Array("\",\"is_moving\":true,\"coords\":{\"latitude\":45.51,\"longitude\":-116.29,\"accuracy\":5}}".utf8)
    }
    body += Array("]}".utf8)
    let head =
      "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }
}
