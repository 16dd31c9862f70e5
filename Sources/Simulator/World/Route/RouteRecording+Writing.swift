import Base

/// The formats in which a recording can be written. What is written is read back as the same places, elevations and times.
extension RouteRecording {
  /// GPX 1.1 with one track.
  package var gpx: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="rollingroad" xmlns="http://www.topografix.com/GPX/1/1">
      <trk><trkseg>

      """
    for point in points {
      let (latitude, longitude) = (RouteNumber.text(point.place.latitude), RouteNumber.text(point.place.longitude))
      text += "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">"
      if let elevation = point.elevation { text += "<ele>\(RouteNumber.text(elevation))</ele>" }
      if let time = point.time { text += "<time>\(time.iso8601Text)</time>" }
      text += "</trkpt>\n"
    }
    return text + "</trkseg></trk>\n</gpx>\n"
  }

  /// A feature with one line (RFC 7946) and, where every point has a time, `coordTimes` beside it.
  package var geoJSON: String {
    let places = points.map { point in
      let numbers = [point.place.longitude, point.place.latitude] + (point.elevation.map { [$0] } ?? [])
      return "[" + numbers.map(RouteNumber.text).joined(separator: ",") + "]"
    }
    let times = points.compactMap(\.time).map { "\"\($0.iso8601Text)\"" }.joined(separator: ",\n")
    let properties = hasTimes ? "{\"coordTimes\":[\n\(times)\n]}" : "{}"
    return """
      {"type":"Feature","properties":\(properties),
      "geometry":{"type":"LineString","coordinates":[
      \(places.joined(separator: ",\n"))
      ]}}

      """
  }

  /// RFC 4180, with the columns that the recording has something for.
  package var csv: String {
    let hasElevation = points.contains { $0.elevation != nil }
    let hasTime = points.contains { $0.time != nil }
    var text = "latitude,longitude" + (hasElevation ? ",elevation" : "") + (hasTime ? ",time" : "") + "\r\n"
    for point in points {
      text += "\(RouteNumber.text(point.place.latitude)),\(RouteNumber.text(point.place.longitude))"
      if hasElevation { text += "," + (point.elevation.map(RouteNumber.text) ?? "") }
      if hasTime { text += "," + (point.time.map(\.iso8601Text) ?? "") }
      text += "\r\n"
    }
    return text
  }
}

/// Numbers and times as route files have them.
package enum RouteNumber {
  /// Without an exponent, which XML's decimals do not have; numbers that would need one keep seven digits, a centimetre.
  package static func text(_ number: Double) -> String {
    let text = number.description
    guard text.utf8.contains(UInt8(ascii: "e")) else { return text }
    let units = (number.magnitude * 1e7).rounded()
    guard units < 9e15 else { return "0" }
    let whole = Int64(units)
    let fraction = String(whole % 10_000_000)
    let sign = number < 0 && whole > 0 ? "-" : ""
    return "\(sign)\(whole / 10_000_000).\(String(repeating: "0", count: 7 - fraction.count))\(fraction)"
  }
}
