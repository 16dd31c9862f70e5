import Base
import Store

extension ListFormat<StoredPoint> {
  /// RFC 4180, with a header. What a record did not say is an empty field.
  static var csv: ListFormat {
    ListFormat(
      contentType: "text/csv; charset=utf-8; header=present",
      opening: Array(
        "uuid,recordedAt,receivedAt,latitude,longitude,altitude,accuracy,speed,heading,isMoving,event\r\n".utf8),
      separator: [], append: { point, bytes in bytes.append(row: point) }, closing: { _ in [] })
  }
}

extension [UInt8] {
  fileprivate mutating func append(row point: StoredPoint) {
    point.uuid.append(lowerCaseTextTo: &self)
    append(UInt8(ascii: ","))
    if point.recordedAt != 0 { append(instant: point.recordedAt) }
    append(UInt8(ascii: ","))
    append(instant: point.receivedAt)
    for number in [
      point.latitude, point.longitude, point.altitude, point.accuracy, point.speed, point.heading,
    ] {
      append(UInt8(ascii: ","))
      if let number { append(decimal: number) }
    }
    append(text: point.isMoving.map { ",\($0)," } ?? ",,")
    append(field: point.event ?? "")
    append(text: "\r\n")
  }

  /// In quotes where it has to be (RFC 4180 §2).
  private mutating func append(field text: String) {
    let mustQuote = text.utf8.contains { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A
    }
    guard mustQuote else { return append(text: text) }
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { append(byte) }
      append(byte)
    }
    append(UInt8(ascii: "\""))
  }
}
