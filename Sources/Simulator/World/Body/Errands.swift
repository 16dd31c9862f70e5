package import Base

/// Trips that begin when somebody says so, each so many metres long; between them the body stays where it is.
package struct Errands: Sendable {
  private enum State: Sendable {
    case city(City, Transport, Address)
    case routes(RouteSet, Coordinate)
    case open(Walker, Coordinate)
  }

  private var state: State
  private let orders: [Order]
  private let seed: UInt64
  private let device: UInt64
  private let index: Int
  private var next = 0
  /// Of a walk that comes in several pieces.
  private var metresLeft = 0.0

  /// `orders` are in the order of time; one that begins before the last trip has ended waits for its end.
  package init(on ground: Ground, orders: [Order], seed: UInt64, device: UInt64, index: Int) {
    (self.orders, self.seed, self.device, self.index) = (orders, seed, device, index)
    switch ground {
    case .city(let city, let transport): state = .city(city, transport, city.home(of: device, seed: seed))
    case .routes(let routes):
      let number = orders.first?.number ?? 0
      let route = routes.route(ofRide: number, seed: seed, device: device, index: index)
      state = .routes(routes, route.path.vertices[0])
    case .open(let rules, let transport):
      let walker = Walker(rules: rules, transport: transport, seed: seed, device: device)
      state = .open(walker, walker.place)
    }
  }

  func first(at start: MonotonicInstant) -> Episode { stay(from: start) }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .stay:
      let order = orders[next]
      next += 1
      return .trip(trip(order, at: end))
    case .trip:
      if metresLeft > Errands.littleMetres { return .trip(goOn(at: end)) }
      return stay(from: end)
    }
  }

  private func stay(from start: MonotonicInstant) -> Episode {
    let place =
      switch state {
      case .city(let city, _, let address): city.coordinate(of: address)
      case .routes(_, let place), .open(_, let place): place
      }
    let end = next < orders.count ? max(orders[next].start, start + .milliseconds(1)) : nil
    return .stay(Stay(place: place, start: start, end: end))
  }

  private mutating func trip(_ order: Order, at start: MonotonicInstant) -> Trip {
    switch state {
    case .city(let city, let transport, let address):
      var stream = Concern.errands.stream(seed: seed, device: device, n: order.number << 12)
      let (course, end) = city.course(from: address, metres: order.metres, from: &stream)
      state = .city(city, transport, end)
      let paces = PaceStream(seed: seed, device: device, trip: order.number)
      return Trip.driving(course, by: transport, at: start, paces: paces) { city.zones(from: $0, to: $1) }
    case .routes(let routes, _):
      let route = routes.route(ofRide: order.number, seed: seed, device: device, index: index)
      let trip = route.trip(
        at: start, seed: seed, device: device, number: order.number, metresMax: max(order.metres, 1))
      state = .routes(routes, trip.motion.path.vertices[trip.motion.path.vertices.count - 1])
      return trip
    case .open:
      metresLeft = max(order.metres, 1)
      return goOn(at: start)
    }
  }

  private mutating func goOn(at start: MonotonicInstant) -> Trip {
    guard case .open(var walker, _) = state else { preconditionFailure("only walks come in pieces") }
    let trip = walker.trip(at: start, metresMax: metresLeft)
    metresLeft -= trip.motion.path.lengthMetres
    state = .open(walker, walker.place)
    return trip
  }

  private static let littleMetres = 0.5

  /// When the trip that begins at `start` ends; the same as the body will make it.
  package mutating func end(of order: Order, at start: MonotonicInstant) -> MonotonicInstant {
    var trip = trip(order, at: start)
    while metresLeft > Errands.littleMetres { trip = goOn(at: trip.end) }
    return trip.end
  }

  /// A trip that somebody wants.
  package struct Order: Equatable, Sendable {
    package let start: MonotonicInstant
    /// Among all trips of the fleet.
    package let number: UInt64
    package let metres: Double

    package init(start: MonotonicInstant, number: UInt64, metres: Double) {
      (self.start, self.number, self.metres) = (start, number, metres)
    }
  }
}

/// Where trips that somebody orders lead.
package enum Ground: Sendable {
  /// From address to address.
  case city(City, Transport)
  /// Along a recorded route from its beginning, not beyond its end.
  case routes(RouteSet)
  case open(WalkRules, Transport)
}
