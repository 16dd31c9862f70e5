import Base

/// An upload in the default schema whose records get new uuids and times in place, without being written again.
struct UploadRequest {
  private(set) var bytes: [UInt8] = []
  private var sequencePlaces: [Int] = []
  private var timePlaces: [Int] = []
  private var sequence: UInt64 = 0
  private var timeText: [UInt8] = []

  /// `salt` keeps the uuids of two runs apart, `client` those of two connections.
  init(client: Int, salt: UInt32, records: Int) {
    var body = Array("{\"location\":[".utf8)
    var sequences: [Int] = []
    var times: [Int] = []
    for index in 0..<records {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      UploadRequest.append(to: &body, client: client, salt: salt, &sequences, &times)
    }
    body += Array("],\"device_id\":\"load-\(client)\"}".utf8)
    let head =
      "POST /locations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    bytes = Array(head.utf8) + body
    sequencePlaces = sequences.map { $0 + head.utf8.count }
    timePlaces = times.map { $0 + head.utf8.count }
  }

  private static func append(
    to body: inout [UInt8], client: Int, salt: UInt32, _ sequences: inout [Int], _ times: inout [Int]
  ) {
    let instant = "1970-01-01T00:00:00.000Z"
    body += Array("{\"timestamp\":\"".utf8)
    times.append(body.count)
    body += Array("\(instant)\",\"recorded_at\":\"".utf8)
    times.append(body.count)
    let clientText = hexadecimal(UInt64(client), digits: 4)
    body += Array(
      "\(instant)\",\"age\":31,\"uuid\":\"\(hexadecimal(UInt64(salt), digits: 8))-\(clientText)-4000-8000-".utf8)
    sequences.append(body.count)
    let rest =
      "000000000000\",\"is_moving\":true,\"odometer\":18234.27,\"odometer_error\":12.5,\"coords\":{\"latitude\":48.1371,"
      + "\"longitude\":11.5754,\"accuracy\":6.5,\"speed\":11.8,\"speed_accuracy\":0.9,\"heading\":184.2,"
      + "\"heading_accuracy\":3.4,\"altitude\":519.4,\"altitude_accuracy\":4.1,\"ellipsoidal_altitude\":566.2},"
      + "\"activity\":{\"type\":\"in_vehicle\",\"confidence\":100},\"battery\":{\"level\":0.73,\"is_charging\":false},"
      + "\"extras\":{\"trip\":4711}}"
    body += Array(rest.utf8)
  }

  /// Records that nobody has sent yet, recorded `now` and in the milliseconds before.
  mutating func renew(_ now: WallInstant) {
    for (index, place) in sequencePlaces.enumerated() {
      sequence += 1
      var rest = sequence
      for digit in stride(from: place + 11, through: place, by: -1) where rest > 0 {
        bytes[digit] = UploadRequest.digits[Int(rest & 15)]
        rest >>= 4
      }
      timeText.removeAll(keepingCapacity: true)
      now.advanced(byMilliseconds: Int64(index - sequencePlaces.count + 1)).append(iso8601To: &timeText)
      for place in [timePlaces[2 * index], timePlaces[2 * index + 1]] {
        bytes.replaceSubrange(place..<place + timeText.count, with: timeText)
      }
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func hexadecimal(_ value: UInt64, digits count: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
