import Base
import Contract

/// A fence of the book and what the book keeps about it.
struct BookedFence: Sendable {
  /// Fences are listed in the order in which they were added.
  let sequence: Int
  var geofence: Geofence
  /// What the system watches; for a polygon the smallest circle around it.
  let circle: Circle
  /// Nil for circles, and for polygons that nobody paid for.
  let polygon: Polygon?
  var isActive = false
  /// Nobody knows yet whether the device was inside when monitoring began.
  var isUntested = false
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
}
