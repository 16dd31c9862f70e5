import Base
import JSON
import Store

/// Serializes the elements of a list one by one, so that a list of any length can be written page by page.
struct ListFormat<Element>: Sendable {
  let contentType: StaticString
  let opening: [UInt8]
  /// The text between two elements.
  let separator: [UInt8]
  let append: @Sendable (Element, inout [UInt8]) -> Void
  /// The end of the list, given the cursor after the last element if more follow.
  let closing: @Sendable (String?) -> [UInt8]

  /// `{"KEY":[…],"next":CURSOR}`; `next` is null at the end.
  static func json(_ key: String, _ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    ListFormat(
      contentType: "application/json", opening: Array("{\"\(key)\":[".utf8), separator: [UInt8(ascii: ",")],
      append: { element, bytes in bytes.append(element, write) },
      closing: { next in Array((next.map { "],\"next\":\"\($0)\"}" } ?? "],\"next\":null}").utf8) })
  }

  /// One JSON text per line.
  static func lines(_ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    ListFormat(
      contentType: "application/x-ndjson", opening: [], separator: [],
      append: { element, bytes in
        let start = bytes.count
        bytes.append(element, write)
        // A record is stored as received, possibly in several lines. Within a JSON text a line break can only be white space
        // (RFC 8259 §7).
        for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D {
          bytes[index] = UInt8(ascii: " ")
        }
        bytes.append(UInt8(ascii: "\n"))
      },
      closing: { _ in [] })
  }
}

extension [UInt8] {
  fileprivate mutating func append<Value>(_ value: Value, _ write: (Value, inout JSONWriter) -> Void) {
    var writer = JSONWriter(capacity: 512)
    write(value, &writer)
    self += writer.bytes
  }
}

extension ListFormat {
  /// Returns a FeatureCollection (RFC 7946) whose elements write features. `next` is a foreign member (§6.1).
  static func geoJSON(_ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    let list = ListFormat.json("features", write)
    return ListFormat(
      contentType: "application/geo+json", opening: Array(#"{"type":"FeatureCollection","features":["#.utf8),
      separator: list.separator, append: list.append, closing: list.closing)
  }
}

extension JSONWriter {
  /// Begins a point, up to and including the start of its properties. An unknown place is null (RFC 7946 §3.2).
  mutating func beginFeature(at longitude: Double?, _ latitude: Double?, altitude: Double?) {
    beginObject()
    member("type", "Feature")
    key("geometry")
    if let longitude, let latitude {
      beginObject()
      member("type", "Point")
      key("coordinates")
      appendPosition(longitude, latitude, altitude)
      endObject()
    } else {
      null()
    }
    key("properties")
    beginObject()
  }

  /// RFC 7946 §3.1.1: longitude first.
  mutating func appendPosition(_ longitude: Double, _ latitude: Double, _ altitude: Double?) {
    beginArray()
    value(longitude)
    value(latitude)
    if let altitude { value(altitude) }
    endArray()
  }

  mutating func endFeature() {
    endObject()
    endObject()
  }
}

extension ListFormat<StoredPoint> {
  /// RFC 4180, with a header. Absent values are empty fields.
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

  /// Appends a field, quoted where necessary (RFC 4180 §2).
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

extension ListFormat<StoredPoint> {
  /// GPX 1.1 (https://www.topografix.com/GPX/1/1) with one track. Speed and course are written in Garmin's extension, which
  /// most programs read. Points without a place are omitted.
  static func gpx(trackName: String) -> ListFormat {
    var opening: [UInt8] = []
    opening.append(
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="rollingroad" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
        <trk><name>
        """)
    opening.append(text: XML.escaped(line: trackName))
    opening.append(text: "</name><trkseg>\n")
    return ListFormat(
      contentType: "application/gpx+xml", opening: opening, separator: [],
      append: { point, bytes in bytes.append(trackPoint: point) },
      closing: { _ in Array("</trkseg></trk>\n</gpx>\n".utf8) })
  }
}

extension [UInt8] {
  fileprivate mutating func append(trackPoint point: StoredPoint) {
    guard let latitude = point.latitude, let longitude = point.longitude else { return }
    append(text: "<trkpt lat=\"")
    append(decimal: latitude)
    append(text: "\" lon=\"")
    append(decimal: longitude)
    append(text: "\">")
    append(element: "ele", point.altitude)
    if point.recordedAt != 0 {
      append(text: "<time>")
      append(instant: point.recordedAt)
      append(text: "</time>")
    }
    if point.speed != nil || point.heading != nil {
      append(text: "<extensions><gpxtpx:TrackPointExtension>")
      append(element: "gpxtpx:speed", point.speed)
      append(element: "gpxtpx:course", point.heading)
      append(text: "</gpxtpx:TrackPointExtension></extensions>")
    }
    append(text: "</trkpt>\n")
  }

  private mutating func append(element name: String, _ number: Double?) {
    guard let number else { return }
    append(text: "<\(name)>")
    append(decimal: number)
    append(text: "</\(name)>")
  }
}

/// Helpers for formats other than JSON.
extension [UInt8] {
  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Appends a time in ISO 8601 with milliseconds; nothing for a time that no calendar can express.
  mutating func append(instant milliseconds: Int64) {
    WallInstant(exactly: milliseconds)?.append(iso8601To: &self)
  }

  /// Appends the number without an exponent, which XML's decimal does not allow.
  mutating func append(decimal number: Double) {
    let parts = "\(number.magnitude)".split(separator: "e")
    let halves = parts[0].split(separator: ".")
    var digits = Array(halves.joined().utf8)
    // The position of the decimal point among the digits.
    var point = halves[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let zero = UInt8(ascii: "0")
    if point <= 0 {
      digits.insert(contentsOf: repeatElement(zero, count: 1 - point), at: 0)
      point = 1
    }
    digits += repeatElement(zero, count: Swift.max(0, point - digits.count))
    var places = digits[point...]
    while places.last == zero { places.removeLast() }
    if number < 0 { append(UInt8(ascii: "-")) }
    self += digits[..<point]
    guard !places.isEmpty else { return }
    append(UInt8(ascii: "."))
    self += places
  }
}
