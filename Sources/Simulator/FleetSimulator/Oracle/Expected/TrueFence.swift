import Base
import Contract
import World

/// A geofence on the ground: on which side of it a body surely is, and when that changes on a trip.
struct TrueFence {
  let fence: Geofence
  /// The fence itself, or the smallest circle around it.
  let circle: Circle
  private let polygon: Polygon?

  /// The error of positions from cells and wireless networks: within it a device may still be in a circle (SDK §15.3.6).
  private static let circleMargin = 20.0
  /// The error of positions from satellites, now and then: all of them are tested against a polygon.
  private static let positionMargin = 40.0
  fileprivate static let step = Nanoseconds.seconds(2)

  /// Nil when it lies nowhere.
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

  /// The way is searched on a plane, which differs from the earth by so much at the rim of a circle.
  private var doubt: Double { max(0.5, 0.001 * circle.radiusMetres) }

  /// Within it a device is surely in the circle.
  private var innerRadius: Double { max(0, circle.radiusMetres - 2 * doubt) }

  /// Beyond it a device is surely out of the circle, by the plane and by the earth.
  private var outerRadius: Double { circle.radiusMetres + TrueFence.circleMargin + 2 * doubt }

  /// True inside, false outside, nil where it is uncertain.
  func isInside(_ place: Coordinate) -> Bool? {
    guard let polygon else {
      let distance = circle.center.distanceMetres(to: place)
      return distance <= innerRadius
        ? true : distance > outerRadius ? false : nil
    }
    let isIn = polygon.contains(place)
    return polygon.metresToBoundary(from: place) > TrueFence.positionMargin ? isIn : nil
  }

  /// Whether a position may show it on the other side.
  func isAtRim(_ place: Coordinate) -> Bool {
    let metres =
      polygon?.metresToBoundary(from: place)
      ?? (circle.center.distanceMetres(to: place) - circle.radiusMetres).magnitude
    return metres <= TrueFence.positionMargin
  }

  /// How far outside a place is; 0 inside.
  func metresOutside(_ place: Coordinate) -> Double {
    guard let polygon else { return max(0, circle.center.distanceMetres(to: place) - circle.radiusMetres) }
    return polygon.contains(place) ? 0 : polygon.metresToBoundary(from: place)
  }

  /// Whether a way comes anywhere near it.
  func isNear(_ bounds: TrueBounds) -> Bool { bounds.comes(within: circle.radiusMetres + 100, of: circle.center) }

  /// When a body on a trip comes to be surely on the other side, in order.
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
      // A body that is on the other side already only comes back.
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
  /// Since when a body that is inside has not been surely outside: positions may have shown it inside since then. Of what was
  /// before its last two episodes nothing is known.
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

  /// Whether a phone may have had it outside in between, at the rim or beyond. Of what was before its last two episodes
  /// nothing is known.
  func mayHaveLeft(_ fence: TrueFence, since start: MonotonicInstant, until end: MonotonicInstant) -> Bool {
    guard let episode else { return false }
    var instant = max(start, (previous ?? episode).start)
    while instant <= end {
      let place = (instant < episode.start ? previous ?? episode : episode).place(at: instant)
      if fence.isInside(place) != true { return true }
      instant = instant + TrueFence.step
    }
    return false
  }
}

/// The corners of a way.
struct TrueBounds {
  private var (south, north, west, east) = (90.0, -90.0, 180.0, -180.0)

  init(_ path: Path) {
    for place in path.vertices {
      (south, north) = (min(south, place.latitude), max(north, place.latitude))
      (west, east) = (min(west, place.longitude), max(east, place.longitude))
    }
  }

  func comes(within metres: Double, of place: Coordinate) -> Bool {
    // Ways around the earth are not asked about.
    if east - west > 180 { return true }
    let scale = LocalScale(latitude: place.latitude)
    let (dx, dy) = (metres / scale.metresPerDegreeOfLongitude, metres / scale.metresPerDegreeOfLatitude)
    return (south - dy...north + dy).contains(place.latitude) && (west - dx...east + dx).contains(place.longitude)
  }
}

/// A fence of one device: where the device truly is, what the SDK has said of it, and what it has still to say.
struct FenceWatch {
  /// What has not been told yet.
  struct Owed {
    let isEntry: Bool
    let since: MonotonicInstant
    /// Nil while the app is down.
    var due: MonotonicInstant?
    var isPutOff = false
    /// The SDK is to know it and not to tell it.
    var isSilent = false
  }

  let truth: TrueFence
  /// The true side; where it is uncertain, the side before.
  var isInside: Bool
  /// Since when it has been inside, or has been a fence of which the SDK knows.
  var insideSince: MonotonicInstant
  /// What the SDK said last, or knows without telling; nil: unknown.
  var told: Bool? = false
  /// The store may have failed to keep what the SDK said then.
  var isUnsaved = false
  /// How the clock on the wall stood against the time of the run then.
  var clock: Int64 = 0
  var owed: Owed?
  /// Monitoring has begun without an initial trigger, and its first position may be looked for until then.
  var silentUntil: MonotonicInstant?
  /// When a dwelling has to be told at the latest, and may be told at the earliest; nil: none is to come.
  var dwellDue: MonotonicInstant?
  var dwellEarliest: MonotonicInstant?
  var hasDwelt = false

  var fence: Geofence { truth.fence }

  /// When the time of its dwelling began.
  var visitBegan: MonotonicInstant? {
    dwellEarliest.map { $0 - .milliseconds(Int64(fence.loiteringDelayMilliseconds)) }
  }

  /// Whether the visit may be over: of an exit at the rim nothing is told without notifyOnExit.
  func mayHaveEnded(_ life: TrueLife, at instant: MonotonicInstant) -> Bool {
    guard !fence.notifyOnExit, let visitBegan else { return false }
    return life.mayHaveLeft(truth, since: visitBegan, until: instant)
  }

  /// An entry is told. Without notifyOnExit one that follows another shows that the SDK had it outside in between.
  mutating func enterAgain() {
    guard told == true, !fence.notifyOnExit else { return }
    (told, dwellDue, dwellEarliest, hasDwelt) = (nil, nil, nil, false)
  }

  /// A dwelling is told. Where nothing is told of entries it shows that the SDK has it inside, before it surely is perhaps.
  mutating func dwell() {
    (dwellDue, hasDwelt) = (nil, true)
    guard !fence.notifyOnEntry else { return }
    told = true
    if owed?.isEntry == true { owed = nil }
  }

  /// What the SDK need not tell it knows all the same, after a while.
  func isSilent(_ owed: Owed) -> Bool {
    owed.isSilent || (owed.isEntry ? !fence.notifyOnEntry : !fence.notifyOnExit)
  }
}
