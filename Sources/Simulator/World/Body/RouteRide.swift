import Base

/// Turns recorded routes into episodes: once, one after the other, or there and back.
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

  /// Where the next ride begins.
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

  /// Between two rides.
  private static let pause = Nanoseconds.seconds(60)
}
