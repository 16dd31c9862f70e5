import Base
import Contract
import World

/// A geofence on the ground: on which side of it a body certainly is, and when that changes on a trip.
struct TrueFence {
  let fence: Geofence
  /// The fence itself, or its smallest enclosing circle.
  let circle: Circle
  private let polygon: Polygon?

  /// The error of network positions: within it a device may still be inside a circle (SDK §15.3.6).
  private static let circleMargin = 20.0
  /// The occasional error of satellite positions, all of which are tested against a polygon.
  private static let positionMargin = 40.0
  fileprivate static let step = Nanoseconds.seconds(2)

  /// Nil for a fence without a valid place.
  init?(_ fence: Geofence) {
    self.fence = fence
    switch fence.shape {
    case .circle(let center, let radius):
      guard let center = Coordinate(latitude: center.latitude, longitude: center.longitude) else { return nil }
      (circle, polygon) = (Circle(center: center, radiusMetres: radius), nil)
    case .polygon(let vertices):
      let places = vertices.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
      guard let polygon = Polygon(places) else { return nil }
      (circle, self.polygon) = (polygon.smallestEnclosingCircle, polygon)
    }
  }

  var isPolygon: Bool { polygon != nil }

  /// Crossings are searched in a plane; this is its deviation from the earth's surface at the rim of a circle.
  private var doubt: Double { max(0.5, 0.001 * circle.radiusMetres) }

  /// Within it a device is certainly inside the circle.
  private var innerRadius: Double { max(0, circle.radiusMetres - 2 * doubt) }

  /// Beyond it a device is certainly outside the circle, in the plane and on the earth.
  private var outerRadius: Double { circle.radiusMetres + TrueFence.circleMargin + 2 * doubt }

  /// Returns true inside, false outside, nil where it is uncertain.
  func isInside(_ place: Coordinate) -> Bool? {
    guard let polygon else {
      let distance = circle.center.distanceMetres(to: place)
      return distance <= innerRadius
        ? true : distance > outerRadius ? false : nil
    }
    let isIn = polygon.contains(place)
    return polygon.metresToBoundary(from: place) > TrueFence.positionMargin ? isIn : nil
  }

  /// Reports whether a position error may put the place on the other side.
  func isAtRim(_ place: Coordinate) -> Bool {
    let metres =
      polygon?.metresToBoundary(from: place)
      ?? (circle.center.distanceMetres(to: place) - circle.radiusMetres).magnitude
    return metres <= TrueFence.positionMargin
  }

  /// Returns the distance of a place outside the fence; 0 inside.
  func metresOutside(_ place: Coordinate) -> Double {
    guard let polygon else { return max(0, circle.center.distanceMetres(to: place) - circle.radiusMetres) }
    return polygon.contains(place) ? 0 : polygon.metresToBoundary(from: place)
  }

  /// Returns the distance of a place from the boundary inside the fence; 0 outside.
  func metresInside(_ place: Coordinate) -> Double {
    guard let polygon else { return max(0, circle.radiusMetres - circle.center.distanceMetres(to: place)) }
    return polygon.contains(place) ? polygon.metresToBoundary(from: place) : 0
  }

  /// Reports whether a path comes near the fence.
  func isNear(_ bounds: TrueBounds) -> Bool { bounds.comes(within: circle.radiusMetres + 100, of: circle.center) }

  /// Returns the instants at which a body on a trip is certainly on the other side, in order.
  func crossings(on trip: Trip, isInside start: Bool) -> [(instant: MonotonicInstant, isInside: Bool)] {
    polygon == nil ? circleCrossings(on: trip, isInside: start) : polygonCrossings(on: trip, isInside: start)
  }

  private func circleCrossings(on trip: Trip, isInside start: Bool) -> [(
    instant: MonotonicInstant, isInside: Bool
  )] {
    var found: [(instant: MonotonicInstant, isInside: Bool)] = []
    var (isInside, now) = (start, trip.start)
    while true {
      let rim = Circle(
        center: circle.center, radiusMetres: isInside ? outerRadius : innerRadius)
      let beyond = circle.center.distanceMetres(to: trip.place(at: now)) - rim.radiusMetres
      guard let next = trip.nextCrossing(of: rim, after: now) else { return found }
      now = next
      // A body that is already on the other side only returns.
      guard isInside ? beyond <= doubt : beyond >= -doubt else { continue }
      isInside.toggle()
      found.append((next, isInside))
    }
  }

  private func polygonCrossings(on trip: Trip, isInside start: Bool) -> [(
    instant: MonotonicInstant, isInside: Bool
  )] {
    var found: [(instant: MonotonicInstant, isInside: Bool)] = []
    var (isInside, now) = (start, trip.start)
    let reach = Circle(center: circle.center, radiusMetres: circle.radiusMetres + 2 * TrueFence.positionMargin)
    while now < trip.end {
      if !isInside && !reach.contains(trip.place(at: now)) {
        guard let next = trip.nextCrossing(of: reach, after: now) else { return found }
        now = next
      }
      if let side = self.isInside(trip.place(at: now)), side != isInside {
        isInside = side
        found.append((now, side))
      }
      now = now + TrueFence.step
    }
    return found
  }
}

extension TrueLife {
  /// Returns the time since which a body has not been certainly outside, so that positions may have shown it inside. Earlier
  /// than its last two episodes nothing is known.
  func mayBeInside(_ fence: TrueFence, since instant: MonotonicInstant) -> MonotonicInstant {
    var since = instant
    for episode in [episode, previous].compactMap(\.self) where episode.start <= since {
      while since >= episode.start {
        if fence.isInside(episode.place(at: since)) == false { return since }
        since = since - TrueFence.step
      }
    }
    return MonotonicInstant(nanoseconds: 0)
  }

  /// Reports whether a phone may have detected it outside in between, at the rim or beyond.
  func mayHaveLeft(_ fence: TrueFence, since start: MonotonicInstant, until end: MonotonicInstant) -> Bool {
    !stays(true, fence, since: start, until: end)
  }

  /// Reports whether a body that has just crossed is certainly on that side from then on: at the rim a phone may detect either.
  func stays(
    _ isInside: Bool, _ fence: TrueFence, behind crossing: MonotonicInstant, until end: MonotonicInstant
  ) -> Bool { stays(isInside, fence, since: crossing + TrueFence.step, until: end) }

  /// Reports whether it is certainly on one side all the time. Earlier than its last two episodes nothing is known.
  private func stays(
    _ isInside: Bool, _ fence: TrueFence, since start: MonotonicInstant, until end: MonotonicInstant
  ) -> Bool {
    guard let episode else { return true }
    var instant = max(start, (previous ?? episode).start)
    while instant <= end {
      let place = (instant < episode.start ? previous ?? episode : episode).place(at: instant)
      if fence.isInside(place) != isInside { return false }
      instant = instant + TrueFence.step
    }
    return true
  }
}

/// The bounding box of a path.
struct TrueBounds {
  private var (south, north, west, east) = (90.0, -90.0, 180.0, -180.0)

  init(_ path: Path) {
    for place in path.vertices {
      (south, north) = (min(south, place.latitude), max(north, place.latitude))
      (west, east) = (min(west, place.longitude), max(east, place.longitude))
    }
  }

  func comes(within metres: Double, of place: Coordinate) -> Bool {
    // Paths around the earth are not excluded.
    if east - west > 180 { return true }
    let scale = LocalScale(latitude: place.latitude)
    let (dx, dy) = (metres / scale.metresPerDegreeOfLongitude, metres / scale.metresPerDegreeOfLatitude)
    return (south - dy...north + dy).contains(place.latitude) && (west - dx...east + dx).contains(place.longitude)
  }
}
