package import Base

/// The true movement of a device, as a sequence of episodes. The next instants at which something changes are computed
/// analytically, without stepping.
///
/// Time goes forward: `advance(to:)` moves on to the episode of an instant; all queries refer to the current one.
package struct Body: Sendable {
  package private(set) var episode: Episode
  private var itinerary: Itinerary
  /// The end of the last tunnel on the previous trip, which may still affect a receiver.
  package private(set) var lastTunnelEnd: MonotonicInstant?
  /// The distance of the episodes before this one.
  private var metresBefore = 0.0

  /// A person in a city with a daily schedule, at home at `start`. Nil transport: the one that suits the occupation.
  package init(
    in city: City, clock: DayClock, plan: DailyPlan, transport: Transport? = nil, start: MonotonicInstant
  ) {
    var itinerary = DailyItinerary(
      city: city, clock: clock, plan: plan, transport: transport ?? plan.occupation.transport, start: start)
    self.init(itinerary.first(at: start), .plan(itinerary))
  }

  /// A person in a city without a daily schedule.
  package init(
    roaming city: City, _ aim: RoamingAim, transport: Transport, seed: UInt64, device: UInt64,
    start: MonotonicInstant
  ) {
    var itinerary = RandomItinerary(city: city, transport: transport, aim: aim, seed: seed, device: device)
    self.init(itinerary.first(at: start), .roam(itinerary))
    advance(to: start)
  }

  /// A device that moves along recorded routes from `start` on; `index` is its index in its fleet.
  package init(
    along routes: RouteSet, repetition: RouteRepetition, seed: UInt64, device: UInt64, index: Int,
    start: MonotonicInstant
  ) {
    let ride = RouteRide(routes: routes, repetition: repetition, seed: seed, device: device, index: index)
    self.init(ride.first(at: start), .route(ride))
    advance(to: start)
  }

  /// A person who walks on open ground.
  package init(
    walking rules: WalkRules, transport: Transport, seed: UInt64, device: UInt64, start: MonotonicInstant
  ) {
    let walker = Walker(rules: rules, transport: transport, seed: seed, device: device)
    self.init(walker.first(at: start), .walk(walker))
    advance(to: start)
  }

  /// A person who makes trips on demand.
  package init(_ trips: ScheduledTrips, start: MonotonicInstant) {
    self.init(trips.first(at: start), .scheduled(trips))
    advance(to: start)
  }

  private init(_ episode: Episode, _ itinerary: Itinerary) {
    (self.episode, self.itinerary) = (episode, itinerary)
  }

  /// Stops the body at its place from an instant on.
  package mutating func park(at instant: MonotonicInstant) {
    advance(to: instant)
    metresBefore = metres(at: instant)
    let stay = Stay(place: position(at: instant), cover: cover(at: instant), start: instant, end: nil)
    (episode, itinerary) = (.stay(stay), .none)
  }

  /// Moves the body to where another one is, in a straight line, and on along its path.
  package mutating func move(to other: Body, at instant: MonotonicInstant) {
    let metres = metres(at: instant) + position(at: instant).distanceMetres(to: other.position(at: instant))
    self = other
    metresBefore += metres
  }

  /// Replaces the trips; the current one continues. Returns whether the current stay ends at another time.
  package mutating func replan(_ planned: [ScheduledTrips.PlannedTrip]) -> Bool {
    guard case .scheduled(var trips) = itinerary else { return false }
    trips.replan(planned)
    itinerary = .scheduled(trips)
    guard case .stay(let stay) = episode else { return false }
    episode = trips.first(at: stay.start)
    return episode.end != stay.end
  }

  /// Advances to the episode at an instant, which must not be before the current episode.
  package mutating func advance(to instant: MonotonicInstant) {
    while let end = episode.end, end <= instant {
      let place = position(at: end)
      if case .trip(let trip) = episode {
        metresBefore += trip.motion.path.lengthMetres
        lastTunnelEnd = trip.covers.last { $0.kind == .tunnel }?.end ?? lastTunnelEnd
      }
      episode = itinerary.next(after: episode)
      // A route that begins again elsewhere moves the body there at once.
      metresBefore += place.distanceMetres(to: position(at: end))
    }
  }

  package func position(at instant: MonotonicInstant) -> Coordinate {
    switch episode {
    case .stay(let stay): stay.place
    case .trip(let trip): trip.place(at: instant)
    }
  }

  /// Returns the distance along its path since its beginning.
  package func metres(at instant: MonotonicInstant) -> Double {
    switch episode {
    case .stay: metresBefore
    case .trip(let trip): metresBefore + trip.motion.metres(at: trip.seconds(at: instant))
    }
  }

  /// Returns the speed in metres per second.
  package func speed(at instant: MonotonicInstant) -> Double { episode.speed(at: instant) }

  /// Returns degrees clockwise from north; nil during a stay.
  package func headingDegrees(at instant: MonotonicInstant) -> Double? {
    episode.headingDegrees(at: instant)
  }

  package func activity(at instant: MonotonicInstant) -> MotionActivity {
    switch episode {
    case .stay: .still
    case .trip(let trip):
      trip.motion.isHalted(at: trip.seconds(at: instant)) ? .still : trip.transport.activity
    }
  }

  package func cover(at instant: MonotonicInstant) -> Cover.Kind? {
    switch episode {
    case .stay(let stay): stay.cover
    case .trip(let trip): trip.cover(at: instant)
    }
  }

  /// Whether there is a wireless network that the device knows.
  package var hasWifi: Bool {
    switch episode {
    case .stay(let stay): stay.hasWifi
    case .trip: false
    }
  }

  /// Returns the first whole millisecond after `instant` at which the body has crossed the circle around `place`, in either
  /// direction. Nil when it does not in the current episode; ask again at its end.
  package func nextCrossing(
    distanceMetres: Double, from place: Coordinate, after instant: MonotonicInstant
  ) -> MonotonicInstant? {
    switch episode {
    case .stay: nil
    case .trip(let trip):
      trip.nextCrossing(of: Circle(center: place, radiusMetres: distanceMetres), after: instant)
    }
  }

  /// Returns when the body next departs, stops, moves on, enters or leaves a cover, or arrives; nil when it stays forever.
  /// Never beyond the end of the current episode.
  package func nextChange(after instant: MonotonicInstant) -> MonotonicInstant? {
    switch episode {
    case .stay(let stay): stay.end.flatMap { $0 > instant ? $0 : nil }
    case .trip(let trip): trip.nextChange(after: instant)
    }
  }
}

/// A period of a body's movement.
package enum Episode: Sendable {
  case stay(Stay)
  case trip(Trip)

  package var start: MonotonicInstant {
    switch self {
    case .stay(let stay): stay.start
    case .trip(let trip): trip.start
    }
  }

  /// Nil for the last episode.
  package var end: MonotonicInstant? {
    switch self {
    case .stay(let stay): stay.end
    case .trip(let trip): trip.end
    }
  }

  /// Returns the true position of the body.
  package func place(at instant: MonotonicInstant) -> Coordinate {
    switch self {
    case .stay(let stay): stay.place
    case .trip(let trip): trip.place(at: instant)
    }
  }

  /// Returns the speed of the body in metres per second.
  package func speed(at instant: MonotonicInstant) -> Double {
    switch self {
    case .stay: 0
    case .trip(let trip): trip.motion.speed(at: trip.seconds(at: instant))
    }
  }

  /// Returns degrees clockwise from north; nil for a stay.
  package func headingDegrees(at instant: MonotonicInstant) -> Double? {
    switch self {
    case .stay: nil
    case .trip(let trip):
      trip.motion.path.headingDegrees(atMetres: trip.motion.metres(at: trip.seconds(at: instant)))
    }
  }
}

/// A time at one place.
package struct Stay: Equatable, Sendable {
  package let place: Coordinate
  /// The cover of the place.
  package let cover: Cover.Kind?
  /// Whether there is a known network, as at home and at work.
  package let hasWifi: Bool
  package let start: MonotonicInstant
  /// Nil: forever.
  package let end: MonotonicInstant?

  package init(
    place: Coordinate, cover: Cover.Kind? = nil, hasWifi: Bool = false, start: MonotonicInstant, end: MonotonicInstant?
  ) {
    self.place = place
    self.cover = cover
    self.hasWifi = hasWifi
    self.start = start
    self.end = end
  }
}
