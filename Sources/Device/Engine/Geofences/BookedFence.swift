package import Base
package import Contract

/// A fence of a geofence book with its state there.
struct BookedFence: Sendable {
  /// The position in the order of insertion.
  let sequence: Int
  var geofence: Geofence
  /// The circle that the system watches; for a polygon the smallest enclosing one.
  let circle: Circle
  /// Nil for circles, and for polygons without a license.
  let polygon: Polygon?
  var isActive = false
  /// Whether the device's side of the boundary at the start of monitoring is still unknown.
  var isUntested = false
  /// Whether the status is from an earlier process, and tracking has been on since.
  var isRestored = false
  /// Whether monitoring began without an initial trigger, a position has shown the device outside since, and the system
  /// has not reported whether it was inside at the beginning.
  var isBeginUnheard = false
  /// Whether a position showed the last crossing before the system reported it.
  var isReportDue = false
  /// Whether the device is inside the circle, so that fixes are tested against the polygon.
  var isInsideCircle = false
  /// The time of the last fix tested against the polygon.
  var testedUntil: WallInstant?

  init(_ geofence: Geofence, sequence: Int, isPolygonLicensed: Bool) throws(GeofenceError) {
    guard !geofence.identifier.isEmpty else { throw .noIdentifier }
    self.sequence = sequence
    self.geofence = geofence
    switch geofence.shape {
    case .circle(let center, let radius):
      guard let place = Coordinate(latitude: center.latitude, longitude: center.longitude) else {
        throw .noPlace(identifier: geofence.identifier)
      }
      guard radius > 0, radius.isFinite else { throw .noRadius(identifier: geofence.identifier) }
      circle = Circle(center: place, radiusMetres: radius)
      polygon = nil
    case .polygon(let vertices):
      let places = vertices.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
      guard places.count == vertices.count, let polygon = Polygon(places) else {
        throw .noPlace(identifier: geofence.identifier)
      }
      circle = polygon.smallestEnclosingCircle
      self.polygon = isPolygonLicensed ? polygon : nil
    }
  }

  func contains(_ place: Coordinate) -> Bool { polygon?.contains(place) ?? circle.contains(place) }

  /// Reports whether a position contradicts the status (SDK §15.3). To be outside it must be beyond its own error. A
  /// poor position must be inside by as much, too.
  func isRefuted(by place: Coordinate, accuracyMetres: Double) -> Bool {
    let isInside = contains(place)
    guard isInside != geofence.status.isInside else { return false }
    let error = max(0, accuracyMetres)
    if isInside && error <= CrossingTest.widestMarginMetres { return true }
    let distance =
      polygon?.metresToBoundary(from: place)
      ?? (circle.center.distanceMetres(to: place) - circle.radiusMetres).magnitude
    return distance > error
  }

  /// Reports whether a position that may be old, or the first after a long time, proves that the device has left.
  /// Otherwise the system's reports and later positions decide.
  func isFarOutside(_ place: Coordinate, accuracyMetres: Double) -> Bool {
    let margin = max(2 * accuracyMetres, CrossingTest.widestMarginMetres)
    if let polygon { return !polygon.contains(place) && polygon.metresToBoundary(from: place) > margin }
    return circle.center.distanceMetres(to: place) > circle.radiusMetres + margin
  }
}

/// Detects crossings of one circle where the platform has no fences (SDK §15.3; the numbers are our choice). A host
/// tests each circle at each tick while the device moves, and reports a crossing after a delay.
package struct CrossingTest: Equatable, Sendable {
  package static let tick = Nanoseconds.seconds(5)
  static let longestDelay = Nanoseconds.seconds(10)
  /// The maximum margin: for an exit a fix near the boundary must be outside by its own accuracy, up to this.
  static let widestMarginMetres = 20.0

  /// Nil before the first test.
  package private(set) var isInside: Bool?

  package init(isInside: Bool? = nil) { self.isInside = isInside }

  /// Returns `enter` or `exit` when the device has crossed the boundary. The first test only determines the side.
  package mutating func test(
    _ place: Coordinate, accuracyMetres: Double, against circle: Circle
  ) -> GeofenceTrigger.Action? {
    let distance = circle.center.distanceMetres(to: place)
    let margin = min(max(accuracyMetres, 0), CrossingTest.widestMarginMetres)
    let now =
      distance <= circle.radiusMetres
      ? true : distance > circle.radiusMetres + margin ? false : isInside ?? false
    defer { isInside = now }
    guard let before = isInside, before != now else { return nil }
    return now ? .enter : .exit
  }

  /// The delay of the report; `fraction` is random in 0 ..< 1.
  package static func delay(_ fraction: Double) -> Nanoseconds {
    Nanoseconds(Int64(Double(longestDelay.count) * fraction))
  }
}
