import Base
import Scenario
import Vocabulary

/// A record that no server should take, as an app with a bug would have made it.
struct PoisonRecord {
  let uuid: UUID128
  let timestamp: WallInstant
  let bytes: [UInt8]

  /// More than the mebibyte that nginx lets through when nobody says otherwise
  /// (https://nginx.org/en/docs/http/ngx_http_core_module.html#client_max_body_size).
  private static let dumpedLines = 1_250
  private static let lineBytes = 1_000

  init(_ kind: PoisonKind, at place: Coordinate, _ wall: WallInstant, from stream: inout RandomStream) {
    uuid = UUID128(randomHigh: stream.u64(), randomLow: stream.u64())
    timestamp = wall
    var bytes = Array(#"{"uuid":""#.utf8)
    uuid.append(lowerCaseTextTo: &bytes)
    bytes += #"","timestamp":""#.utf8
    wall.append(iso8601To: &bytes)
    bytes += #"","odometer":0,"is_moving":true"#.utf8
    switch kind {
    case .missingCoords: break
    case .textLatitude: bytes += #","coords":{"latitude":"north","longitude":\#(place.longitude),"accuracy":5}"#.utf8
    case .oversizedExtras:
      bytes += #","coords":{"latitude":\#(place.latitude),"longitude":\#(place.longitude),"accuracy":5}"#.utf8
      bytes += #","extras":{"dump":["#.utf8
      for line in 0..<PoisonRecord.dumpedLines {
        bytes += line == 0 ? "\"".utf8 : ",\"".utf8
        bytes += repeatElement(UInt8(ascii: "x"), count: PoisonRecord.lineBytes)
        bytes.append(UInt8(ascii: "\""))
      }
      bytes += "]}".utf8
    }
    bytes.append(UInt8(ascii: "}"))
    self.bytes = bytes
  }
}
