import Base
import Contract
import DeviceLog
import Formats
public import FoundationEssentials
import JSON
import Vocabulary

/// A recorded route: positions in the order of time.
public struct Route: Sendable {
  /// In the order of time.
  public let locations: [CLLocation]

  /// The accuracy of positions from documents, which carry none: that of a phone under the open sky.
  static let accuracyMetres = 5.0

  /// Creates a route from positions, which are sorted by time. Invalid positions are left out.
  public init(_ locations: [CLLocation]) {
    let places = locations.filter { $0.place != nil }
    self.locations = places.enumerated().sorted { left, right in
      (left.element.timestamp, left.offset) < (right.element.timestamp, right.offset)
    }.map(\.element)
  }

  /// Reads the positions from the text log of a real device, of either platform: those of its running location updates.
  /// Throws `BGGeoError` when the text is not such a log. A text log has no time zone: times count as UTC.
  public init(log text: String) throws {
    guard let reader = LogReader(text) else { throw BGGeoError("the text is not a log of the SDK") }
    self.init(
      reader.facts.compactMap { fact in
        if case .fix(let fix, number: 0, ageMilliseconds: _) = fact.content { CLLocation(fix) } else { nil }
      })
  }

  /// Reads the line, or the points, of a GeoJSON document (RFC 7946) of any kind but polygons; coordinates are
  /// longitude, latitude and optionally altitude. The times are `coordTimes` or `times` of the properties, as ISO 8601
  /// texts; without them the positions are `interval` seconds apart, beginning at `start`. Throws `BGGeoError` with the
  /// line and column of a mistake, and when there is no position.
  public init(geoJSON text: String, start: Date = Date(timeIntervalSince1970: 0), interval: TimeInterval = 1) throws {
    try self.init(start, interval) { () throws(RouteError) in try RouteRecording(geoJSON: Array(text.utf8)) }
  }

  /// Reads the track points of a GPX document, or its route points when it has no track. Times and intervals as for GeoJSON.
  public init(gpx text: String, start: Date = Date(timeIntervalSince1970: 0), interval: TimeInterval = 1) throws {
    try self.init(start, interval) { () throws(RouteError) in try RouteRecording(gpx: Array(text.utf8)) }
  }

  private init(
    _ start: Date, _ interval: TimeInterval, _ read: () throws(RouteError) -> RouteRecording
  ) throws(BGGeoError) {
    let recording: RouteRecording
    do throws(RouteError) { recording = try read() } catch { throw BGGeoError("\(error.spot): \(error.message)") }
    guard interval > 0, interval.isFinite else { throw BGGeoError("the interval must be more than 0") }
    let hasTimes = recording.hasTimes
    self.init(
      recording.points.enumerated().map { index, point in
        let time = hasTimes ? point.time.map { Date($0) } : nil
        return CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: point.place.latitude, longitude: point.place.longitude),
          altitude: point.elevation ?? 0, horizontalAccuracy: Self.accuracyMetres,
          verticalAccuracy: point.elevation == nil ? -1 : Self.accuracyMetres,
          timestamp: time ?? start.addingTimeInterval(Double(index) * interval))
      })
  }
}

extension CLLocation {
  init(_ fix: Fix) {
    let coords = fix.coords
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: coords.latitude, longitude: coords.longitude),
      altitude: coords.altitude ?? 0, horizontalAccuracy: coords.accuracy ?? -1,
      verticalAccuracy: coords.altitude == nil ? -1 : coords.altitudeAccuracy ?? Route.accuracyMetres,
      course: coords.heading ?? -1, courseAccuracy: coords.headingAccuracy ?? -1, speed: coords.speed ?? -1,
      speedAccuracy: coords.speedAccuracy ?? -1, ellipsoidalAltitude: coords.ellipsoidalAltitude,
      timestamp: Date(fix.timestamp))
  }
}
