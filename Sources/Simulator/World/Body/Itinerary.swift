/// Where a body goes.
enum Itinerary: Sendable {
  case plan(Wanderer)
  case roam(Roamer)
  case route(RouteRide)
  case walk(Walker)
  case errands(Errands)
  /// Nowhere any more.
  case none

  mutating func next(after episode: Episode) -> Episode {
    switch self {
    case .plan(var wanderer):
      defer { self = .plan(wanderer) }
      return wanderer.next(after: episode)
    case .roam(var roamer):
      defer { self = .roam(roamer) }
      return roamer.next(after: episode)
    case .route(var ride):
      defer { self = .route(ride) }
      return ride.next(after: episode)
    case .walk(var walker):
      defer { self = .walk(walker) }
      return walker.next(after: episode)
    case .errands(var errands):
      defer { self = .errands(errands) }
      return errands.next(after: episode)
    case .none: return episode
    }
  }
}
