import Base

/// Turns a route into episodes: once, again from the beginning, or there and back.
struct RouteRide: Sendable {
  private let route: TimedRoute
  private let repetition: RouteRepetition
  private var isForward = true

  init(route: TimedRoute, repetition: RouteRepetition) {
    self.route = route
    self.repetition = repetition
  }

  mutating func next(after episode: Episode) -> Episode {
    guard let end = episode.end else { return episode }
    switch episode {
    case .stay:
      let trip = route.trip(at: end, isForward: isForward)
      if repetition == .pingPong { isForward.toggle() }
      return .trip(trip)
    case .trip(let trip):
      let place = trip.motion.path.vertices[trip.motion.path.vertices.count - 1]
      let pause: Nanoseconds? = repetition == .once ? nil : RouteRide.pause
      return .stay(Stay(place: place, start: end, end: pause.map { end + $0 }))
    }
  }

  /// Between two rides.
  private static let pause = Nanoseconds.seconds(60)
}
