package import Base
package import Contract

/// A fence of the book and what the book keeps about it.
struct BookedFence: Sendable {
  /// Fences are listed in the order in which they were added.
  let sequence: Int
  var geofence: Geofence
  /// What the system watches; for a polygon the smallest circle around it.
  let circle: Circle
  /// Nil for circles, and for polygons without a license.
  let polygon: Polygon?
  var isActive = false
  /// It is not known yet whether the device was inside when monitoring began.
  var isUntested = false
  /// The status is that of an earlier process, in which tracking was on and has gone on since.
  var isRestored = false
  /// Monitoring has begun without an initial trigger, and a position has shown the device outside since. Whether it was inside
  /// when it began only the system knows, which has told nothing yet.
  var isBeginUnheard = false
  /// A position showed the last crossing, and the system has not reported it yet.
  var isReportDue = false
  /// Fixes are tested against the polygon while the device is inside its circle.
  var isInsideCircle = false
  /// Of the last fix that was tested against the polygon.
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

  /// Whether a position shows that the device is on the other side of the boundary than the status says (SDK §15.3). To
  /// be outside it must be beyond its own error. A poor position must be inside by as much, too.
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

  /// Whether a position that may be old, or the first after a long time, proves that the device has left: what it
  /// leaves open the system's reports and later positions decide.
  func isFarOutside(_ place: Coordinate, accuracyMetres: Double) -> Bool {
    let margin = max(2 * accuracyMetres, CrossingTest.widestMarginMetres)
    if let polygon { return !polygon.contains(place) && polygon.metresToBoundary(from: place) > margin }
    return circle.center.distanceMetres(to: place) > circle.radiusMetres + margin
  }
}

/// Finds the crossings of one circle where the platform has no fences of its own (SDK §15.3; the numbers are our
/// choice). A host tests each circle at each tick while the device moves and reports a crossing after a delay.
package struct CrossingTest: Equatable, Sendable {
  package static let tick = Nanoseconds.seconds(5)
  static let longestDelay = Nanoseconds.seconds(10)
  /// A bad fix near the rim is no exit: it must be beyond its own accuracy, up to this.
  static let widestMarginMetres = 20.0

  /// Nil before the first test.
  package private(set) var isInside: Bool?

  package init(isInside: Bool? = nil) { self.isInside = isInside }

  /// `enter` or `exit` when the device has crossed the rim. The first test only finds out where it is.
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

  /// How late the crossing is reported; `fraction` is a draw of 0 ..< 1.
  package static func delay(_ fraction: Double) -> Nanoseconds {
    Nanoseconds(Int64(Double(longestDelay.count) * fraction))
  }
}
