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
