/// Where a body goes: by a plan through a city, or along a given route.
enum Itinerary: Sendable {
  case plan(Wanderer)
  case route(RouteRide)

  mutating func next(after episode: Episode) -> Episode {
    switch self {
    case .plan(var wanderer):
      let next = wanderer.next(after: episode)
      self = .plan(wanderer)
      return next
    case .route(var ride):
      let next = ride.next(after: episode)
      self = .route(ride)
      return next
    }
  }
}
