import Store

extension ListFormat<StoredPoint> {
  /// GPX 1.1 (https://www.topografix.com/GPX/1/1) with one track. Speed and course have their place in Garmin's extension,
  /// which most programs read. Points without a place are left out.
  static func gpx(trackName: String) -> ListFormat {
    var opening: [UInt8] = []
    opening.append(
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="rollingroad" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
        <trk><name>
        """)
    opening.append(xml: trackName)
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

  /// Characters that XML 1.0 §2.2 forbids become U+FFFD.
  fileprivate mutating func append(xml text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append(text: "&amp;")
      case "<": append(text: "&lt;")
      case ">": append(text: "&gt;")
      case "\t", "\n", "\r": append(UInt8(ascii: " "))
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append(text: "\u{FFFD}")
      default: append(text: String(scalar))
      }
    }
  }
}
