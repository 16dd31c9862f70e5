package import Base

/// The movements of a body.
enum Itinerary: Sendable {
  case plan(DailyItinerary)
  case roam(RandomItinerary)
  case route(RouteRide)
  case walk(Walker)
  case scheduled(ScheduledTrips)
  /// No further movement.
  case none

  mutating func next(after episode: Episode) -> Episode {
    switch self {
    case .plan(var itinerary):
      defer { self = .plan(itinerary) }
      return itinerary.next(after: episode)
    case .roam(var itinerary):
      defer { self = .roam(itinerary) }
      return itinerary.next(after: episode)
    case .route(var ride):
      defer { self = .route(ride) }
      return ride.next(after: episode)
    case .walk(var walker):
      defer { self = .walk(walker) }
      return walker.next(after: episode)
    case .scheduled(var trips):
      defer { self = .scheduled(trips) }
      return trips.next(after: episode)
    case .none: return episode
    }
  }
}

/// Trips that start on demand, with given lengths; between them the body stays at its place.
package struct ScheduledTrips: Sendable {
  private enum State: Sendable {
    case city(City, Transport, Address)
    case routes(RouteSet, Coordinate)
    case open(Walker, Coordinate)
  }

  private var state: State
  private var planned: [PlannedTrip]
  private let seed: UInt64
  private let device: UInt64
  private let index: Int
  private var next = 0
  /// The remaining length of a walk in several pieces.
  private var metresLeft = 0.0

  /// `trips` are sorted by time; one that starts before the last trip has ended waits for its end.
  package init(on ground: Ground, trips: [PlannedTrip], seed: UInt64, device: UInt64, index: Int) {
    (planned, self.seed, self.device, self.index) = (trips, seed, device, index)
    switch ground {
    case .city(let city, let transport): state = .city(city, transport, city.home(of: device, seed: seed))
    case .routes(let routes):
      let number = trips.first?.number ?? 0
      let route = routes.route(ofRide: number, seed: seed, device: device, index: index)
      state = .routes(routes, route.path.vertices[0])
    case .open(let rules, let transport):
      let walker = Walker(rules: rules, transport: transport, seed: seed, device: device)
      state = .open(walker, walker.place)
    }
  }

  func first(at start: MonotonicInstant) -> Episode { stay(from: start) }

  /// Replaces the planned trips; those that have started must come first, as before.
  mutating func replan(_ trips: [PlannedTrip]) { planned = trips }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .stay:
      let trip = planned[next]
      next += 1
      return .trip(begin(trip, at: end))
    case .trip:
      if metresLeft > ScheduledTrips.minimumMetres { return .trip(continueWalk(at: end)) }
      return stay(from: end)
    }
  }

  private func stay(from start: MonotonicInstant) -> Episode {
    let place =
      switch state {
      case .city(let city, _, let address): city.coordinate(of: address)
      case .routes(_, let place), .open(_, let place): place
      }
    let end = next < planned.count ? max(planned[next].start, start + .milliseconds(1)) : nil
    return .stay(Stay(place: place, start: start, end: end))
  }

  private mutating func begin(_ planned: PlannedTrip, at start: MonotonicInstant) -> Trip {
    switch state {
    case .city(let city, let transport, let address):
      var stream = RandomStreamID.scheduledTrips.stream(seed: seed, device: device, n: planned.number << 12)
      let (course, end) = city.course(from: address, metres: planned.metres, from: &stream)
      state = .city(city, transport, end)
      let paces = PaceStream(seed: seed, device: device, trip: planned.number)
      return Trip.driving(course, by: transport, at: start, paces: paces) { city.zones(from: $0, to: $1) }
    case .routes(let routes, _):
      let route = routes.route(ofRide: planned.number, seed: seed, device: device, index: index)
      let trip = route.trip(
        at: start, seed: seed, device: device, number: planned.number, metresMax: max(planned.metres, 1))
      state = .routes(routes, trip.motion.path.vertices[trip.motion.path.vertices.count - 1])
      return trip
    case .open:
      metresLeft = max(planned.metres, 1)
      return continueWalk(at: start)
    }
  }

  private mutating func continueWalk(at start: MonotonicInstant) -> Trip {
    guard case .open(var walker, _) = state else { preconditionFailure("only walks come in pieces") }
    let trip = walker.trip(at: start, metresMax: metresLeft)
    metresLeft -= trip.motion.path.lengthMetres
    state = .open(walker, walker.place)
    return trip
  }

  private static let minimumMetres = 0.5

  /// Returns the end of the trip that starts at `start`, exactly as the body will make it; some time after `last` if it ends after
  /// that.
  package mutating func end(of planned: PlannedTrip, at start: MonotonicInstant, until last: MonotonicInstant)
    -> MonotonicInstant
  {
    var trip = begin(planned, at: start)
    while metresLeft > ScheduledTrips.minimumMetres, trip.end <= last { trip = continueWalk(at: trip.end) }
    return trip.end
  }

  /// A trip on demand.
  package struct PlannedTrip: Equatable, Sendable {
    package let start: MonotonicInstant
    /// The number among all trips of the fleet.
    package let number: UInt64
    package let metres: Double

    package init(start: MonotonicInstant, number: UInt64, metres: Double) {
      (self.start, self.number, self.metres) = (start, number, metres)
    }
  }
}

/// The ground of trips on demand.
package enum Ground: Sendable {
  /// From address to address.
  case city(City, Transport)
  /// Along a recorded route from its beginning to at most its end.
  case routes(RouteSet)
  case open(WalkRules, Transport)
}

/// Converts the legs of a daily schedule to episodes. Between trips it is the only state of a body.
struct DailyItinerary: Sendable {
  private let city: City
  private let clock: DayClock
  private let plan: DailyPlan
  private let transport: Transport
  private var address: Address
  private var day: Int
  /// The index of the next leg.
  private var index = 0
  private var destination: Address?
  private var tripCount: UInt64 = 0

  /// The number of days that are searched for the next leg; a plan without one has ended.
  private static let horizonDays = 400
  private static let shortestStay = Nanoseconds.seconds(30)

  init(city: City, clock: DayClock, plan: DailyPlan, transport: Transport, start: MonotonicInstant) {
    self.transport = transport
    self.city = city
    self.clock = clock
    self.plan = plan
    address = city.home(of: plan.device, seed: plan.seed)
    day = clock.day(at: start)
  }

  /// Returns a stay at home until the first leg after `start`.
  mutating func first(at start: MonotonicInstant) -> Episode { stay(from: start, isFirst: true) }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .trip: return stay(from: end, isFirst: false)
    case .stay:
      guard let destination else { return stay(from: end, isFirst: false) }
      let way = city.way(from: address, to: destination)
      tripCount += 1
      address = destination
      let paces = PaceStream(seed: plan.seed, device: plan.device, trip: tripCount)
      return .trip(city.trip(along: way, by: transport, at: end, paces: paces))
    }
  }

  private mutating func stay(from start: MonotonicInstant, isFirst: Bool) -> Episode {
    let place = city.coordinate(of: address)
    let cover = city.zone(at: place)?.kind
    let end = departure(after: start, isFirst: isFirst)
    let hasWifi = plan.hasWifi(at: address, in: city)
    return .stay(Stay(place: place, cover: cover, hasWifi: hasWifi, start: start, end: end))
  }

  /// Finds the next leg and when it begins. A person who starts in the middle of a day has missed the earlier legs; one who is late
  /// leaves as soon as they can.
  private mutating func departure(after start: MonotonicInstant, isFirst: Bool) -> MonotonicInstant? {
    let lastDay = day + DailyItinerary.horizonDays
    while day <= lastDay {
      guard let leg = plan.leg(day: day, index: index, clock: clock, in: city) else {
        (day, index) = (day + 1, 0)
        continue
      }
      index += 1
      let departure =
        switch leg.departure {
        case .at(let seconds): clock.instant(day: day, secondsAfterMidnight: seconds)
        case .after(let seconds): MonotonicInstant(secondsRoundedUp: start.seconds + seconds)
        }
      if isFirst && (departure < start || leg.departure.isRelative) { continue }
      if leg.destination == address { continue }
      destination = leg.destination
      return max(departure, start + DailyItinerary.shortestStay)
    }
    destination = nil
    return nil
  }
}

extension Leg.Departure {
  /// Whether the time is relative to the preceding event.
  var isRelative: Bool {
    switch self {
    case .after: true
    case .at: false
    }
  }
}

/// Converts recorded routes to episodes: once, one after the other, or back and forth.
struct RouteRide: Sendable {
  private let routes: RouteSet
  private let repetition: RouteRepetition
  private let seed: UInt64
  private let device: UInt64
  private let index: Int
  private var number: UInt64 = 0

  init(routes: RouteSet, repetition: RouteRepetition, seed: UInt64, device: UInt64, index: Int) {
    (self.routes, self.repetition) = (routes, repetition)
    (self.seed, self.device, self.index) = (seed, device, index)
  }

  func first(at start: MonotonicInstant) -> Episode { .stay(Stay(place: place, start: start, end: start)) }

  /// The start of the next ride.
  private var place: Coordinate { route.path.vertices[0] }

  private var route: TimedRoute {
    let round = repetition == .pingPong ? number / 2 : number
    return routes.route(ofRide: round, seed: seed, device: device, index: index)
  }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .stay:
      let isForward = repetition != .pingPong || number % 2 == 0
      let trip = route.trip(at: end, isForward: isForward, seed: seed, device: device, number: number)
      number += 1
      return .trip(trip)
    case .trip(let trip):
      let place = trip.motion.path.vertices[trip.motion.path.vertices.count - 1]
      let pause: Nanoseconds? = repetition == .once ? nil : RouteRide.pause
      return .stay(Stay(place: place, start: end, end: pause.map { end + $0 }))
    }
  }

  /// The pause between two rides.
  private static let pause = Nanoseconds.seconds(60)
}
