import Base
import Contract
import DeviceLog
public import FoundationEssentials
import JSON
import Vocabulary

/// A recorded route: positions in the order of time.
public struct Route: Sendable {
  /// In the order of time.
  public let locations: [CLLocation]

  /// Positions of the program's own, put in the order of time. Those that are no places on the earth are left out.
  public init(_ locations: [CLLocation]) {
    let places = locations.filter { $0.place != nil }
    self.locations = places.enumerated().sorted { left, right in
      (left.element.timestamp, left.offset) < (right.element.timestamp, right.offset)
    }.map(\.element)
  }

  /// The positions in the text log of a real device, of either platform: those of its running location updates. Throws
  /// `BGGeoError` when the text is no such log. A text log does not tell its time zone: times count as UTC.
  public init(log text: String) throws {
    guard let reader = LogReader(text) else { throw BGGeoError("the text is no log of the SDK") }
    self.init(
      reader.facts.compactMap { fact in
        if case .fix(let fix, number: 0, ageMilliseconds: _) = fact.content { CLLocation(fix) } else { nil }
      })
  }

  /// The line, or the points, of a GeoJSON document (RFC 7946) of any kind but polygons: coordinates are longitude,
  /// latitude and perhaps altitude. The times are those of `coordTimes` or `times` in the properties, texts in ISO
  /// 8601; without them the positions lie `interval` seconds apart, beginning at `start`. Throws `BGGeoError` when
  /// there is no position.
  public init(geoJSON text: String, start: Date = Date(timeIntervalSince1970: 0), interval: TimeInterval = 1) throws {
    guard let document = JSONObject(parsing: Array(text.utf8)) else { throw BGGeoError("the text is no JSON object") }
    var points: [RoutePoint] = []
    GeoJSON.collect(.object(document), times: [], into: &points)
    self.init(try Self.locations(points, start, interval))
  }

  /// The track points of a GPX document, or its route points when it has no track. Times and intervals as for GeoJSON.
  public init(gpx text: String, start: Date = Date(timeIntervalSince1970: 0), interval: TimeInterval = 1) throws {
    let tracks = GPX.points("trkpt", in: text)
    let points = tracks.isEmpty ? GPX.points("rtept", in: text) : tracks
    self.init(try Self.locations(points, start, interval))
  }

  private static func locations(
    _ points: [RoutePoint], _ start: Date, _ interval: TimeInterval
  ) throws(BGGeoError) -> [CLLocation] {
    guard !points.isEmpty else { throw BGGeoError("there is no position in the document") }
    guard interval > 0, interval.isFinite else { throw BGGeoError("the interval must be more than 0") }
    let hasTimes = points.allSatisfy { $0.time != nil }
    return points.enumerated().map { index, point in
      let time = hasTimes ? point.time : nil
      return CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: point.latitude, longitude: point.longitude),
        altitude: point.altitude ?? 0, horizontalAccuracy: RoutePoint.accuracyMetres,
        verticalAccuracy: point.altitude == nil ? -1 : RoutePoint.accuracyMetres,
        timestamp: time ?? start.addingTimeInterval(Double(index) * interval))
    }
  }
}

/// A point of a document.
struct RoutePoint {
  /// Documents do not tell it: that of a phone under the open sky.
  static let accuracyMetres = 5.0

  var latitude: Double
  var longitude: Double
  var altitude: Double?
  var time: Date?
}

extension CLLocation {
  init(_ fix: Fix) {
    let coords = fix.coords
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: coords.latitude, longitude: coords.longitude),
      altitude: coords.altitude ?? 0, horizontalAccuracy: coords.accuracy ?? -1,
      verticalAccuracy: coords.altitude == nil ? -1 : coords.altitudeAccuracy ?? RoutePoint.accuracyMetres,
      course: coords.heading ?? -1, courseAccuracy: coords.headingAccuracy ?? -1, speed: coords.speed ?? -1,
      speedAccuracy: coords.speedAccuracy ?? -1, ellipsoidalAltitude: coords.ellipsoidalAltitude,
      timestamp: Date(fix.timestamp))
  }
}

extension Date {
  /// Nil for a text that is no time.
  init?(iso8601 text: some StringProtocol) {
    guard let instant = WallInstant(iso8601: String(text).utf8.span) else { return nil }
    self.init(instant)
  }
}

/// Points in GPX 1.0 and 1.1. Only the elements that a position has are read; everything else of XML is passed over.
enum GPX {
  /// The elements of this name, in the order of the text.
  static func points(_ name: String, in text: String) -> [RoutePoint] {
    var points: [RoutePoint] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "<\(name)") {
      rest = rest[opening.upperBound...]
      guard let end = rest.firstIndex(of: ">") else { break }
      let attributes = rest[..<end]
      rest = rest[rest.index(after: end)...]
      var content: Substring = ""
      if attributes.last != "/", let closing = rest.firstRange(of: "</\(name)>") {
        content = rest[..<closing.lowerBound]
        rest = rest[closing.upperBound...]
      }
      guard let latitude = attribute("lat", of: attributes), let longitude = attribute("lon", of: attributes) else {
        continue
      }
      points.append(
        RoutePoint(
          latitude: latitude, longitude: longitude, altitude: element("ele", in: content).flatMap { Double($0) },
          time: element("time", in: content).flatMap { Date(iso8601: $0) }))
    }
    return points
  }

  private static func attribute(_ name: String, of attributes: Substring) -> Double? {
    for quote in ["\"", "'"] {
      guard let start = attributes.firstRange(of: " \(name)=\(quote)") else { continue }
      return Double(attributes[start.upperBound...].prefix { String($0) != quote })
    }
    return nil
  }

  private static func element(_ name: String, in content: Substring) -> String? {
    guard let start = content.firstRange(of: "<\(name)>") else { return nil }
    let text = content[start.upperBound...].prefix { $0 != "<" }
    return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Positions in GeoJSON (RFC 7946).
enum GeoJSON {
  /// Appends the positions of a document in its order; what it does not know it passes over.
  static func collect(_ value: JSONValue, times: [Date?], into points: inout [RoutePoint]) {
    guard case .string(let type)? = value["type"] else { return }
    switch type {
    case "FeatureCollection": elements(value["features"]).forEach { collect($0, times: times, into: &points) }
    case "GeometryCollection": elements(value["geometries"]).forEach { collect($0, times: times, into: &points) }
    case "Feature":
      if let geometry = value["geometry"] {
        collect(geometry, times: self.times(value["properties"] ?? .null), into: &points)
      }
    case "Point": append(value["coordinates"], times.first ?? nil, &points)
    case "LineString", "MultiPoint": line(value["coordinates"], times, &points)
    case "MultiLineString":
      var offset = 0
      for part in elements(value["coordinates"]) {
        line(part, Array(times.dropFirst(offset)), &points)
        offset += elements(part).count
      }
    default: break
    }
  }

  private static func line(_ positions: JSONValue?, _ times: [Date?], _ points: inout [RoutePoint]) {
    for (index, position) in elements(positions).enumerated() {
      append(position, index < times.count ? times[index] : nil, &points)
    }
  }

  private static func append(_ position: JSONValue?, _ time: Date?, _ points: inout [RoutePoint]) {
    let numbers = elements(position).compactMap(\.double)
    guard numbers.count >= 2 else { return }
    points.append(
      RoutePoint(
        latitude: numbers[1], longitude: numbers[0], altitude: numbers.count > 2 ? numbers[2] : nil, time: time))
  }

  /// Flat, or a list for each line; of a point, one time alone.
  private static func times(_ properties: JSONValue) -> [Date?] {
    let value = properties["coordTimes"] ?? properties["times"] ?? properties["time"] ?? .null
    return flatten(value)
  }

  private static func flatten(_ value: JSONValue) -> [Date?] {
    switch value {
    case .array(let elements): elements.flatMap(flatten)
    case .string(let text): [Date(iso8601: text)]
    case .integer, .double, .bool, .object: [nil]
    case .null: []
    }
  }

  private static func elements(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let elements)? = value { elements } else { [] }
  }
}
