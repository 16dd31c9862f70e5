package import Base

/// Where a device truly is: at any time in what it does now, an episode, and with the next instants at which something
/// about it changes, found by solving and not by stepping.
///
/// Time goes forward: `advance(to:)` moves on to the episode of an instant; all questions are about the current one.
package struct Body: Sendable {
  package private(set) var episode: Episode
  private var itinerary: Itinerary
  /// When the last cover of the trip before ended that may still matter to a receiver.
  package private(set) var lastTunnelEnd: MonotonicInstant?

  /// Somebody in a city who lives by a plan; at `start` they are at home.
  package init(in city: City, clock: DayClock, plan: DailyPlan, start: MonotonicInstant) {
    var wanderer = Wanderer(city: city, clock: clock, plan: plan, start: start)
    episode = wanderer.first(at: start)
    itinerary = .plan(wanderer)
  }

  /// A device that is carried along a route, beginning at `start`; before, it stands at the route's first place.
  package init(along route: TimedRoute, repetition: RouteRepetition, start: MonotonicInstant) {
    episode = .stay(Stay(place: route.path.vertices[0], start: start, end: start))
    itinerary = .route(RouteRide(route: route, repetition: repetition))
    advance(to: start)
  }

  /// Moves on to what the body does at an instant, which must not lie before the current episode.
  package mutating func advance(to instant: MonotonicInstant) {
    while let end = episode.end, end <= instant {
      if case .trip(let trip) = episode, let tunnel = trip.covers.last(where: { $0.kind == .tunnel }) {
        lastTunnelEnd = tunnel.end
      }
      episode = itinerary.next(after: episode)
    }
  }

  package func position(at instant: MonotonicInstant) -> Coordinate {
    switch episode {
    case .stay(let stay): stay.place
    case .trip(let trip): trip.place(at: instant)
    }
  }

  /// Metres per second.
  package func speed(at instant: MonotonicInstant) -> Double {
    switch episode {
    case .stay: 0
    case .trip(let trip): trip.motion.speed(at: trip.seconds(at: instant))
    }
  }

  /// Degrees clockwise from north; nil while the body stays somewhere.
  package func headingDegrees(at instant: MonotonicInstant) -> Double? {
    switch episode {
    case .stay: nil
    case .trip(let trip):
      trip.motion.path.headingDegrees(atMetres: trip.motion.metres(at: trip.seconds(at: instant)))
    }
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

  /// The first whole millisecond after `instant` at which the body has passed from one side of the circle around `place`
  /// to the other, out of it or into it. Nil when that does not happen in the current episode: ask again at its end.
  package func nextCrossing(
    distanceMetres: Double, from place: Coordinate, after instant: MonotonicInstant
  ) -> MonotonicInstant? {
    switch episode {
    case .stay: nil
    case .trip(let trip):
      trip.nextCrossing(of: Circle(center: place, radiusMetres: distanceMetres), after: instant)
    }
  }

  /// When the body next sets off, stands, moves on, gets under cover or out of it, or arrives; nil when it stays where it
  /// is for good. Never beyond the end of the current episode.
  package func nextChange(after instant: MonotonicInstant) -> MonotonicInstant? {
    switch episode {
    case .stay(let stay): stay.end.flatMap { $0 > instant ? $0 : nil }
    case .trip(let trip): trip.nextChange(after: instant)
    }
  }
}
