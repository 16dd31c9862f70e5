import Base
package import World

/// How the bodies of a fleet spend their time.
package enum Movement: Sendable {
  /// By a daily plan in a city.
  case plan(Occupation, City, Transport)
  /// In a city from place to place.
  case roam(RoamingAim, City, Transport)
  /// Along recorded routes.
  case ride(RouteSet, RouteRepetition)
  /// Over open ground.
  case walk(WalkRules, Transport)
  /// On trips that are ordered, those of each device of the whole fleet.
  case errands(Ground, orders: [[Errands.Order]])

  /// There and back between home and work from the first second on.
  package static func shuttle(_ transport: Transport, in city: City) -> Movement { .roam(.shuttle, city, transport) }

  /// By a plan, as suits it.
  package static func plan(_ occupation: Occupation, in city: City) -> Movement {
    .plan(occupation, city, occupation.transport)
  }

  /// What the motion sensors report on the way.
  var shares: ActivityShares? {
    switch self {
    case .plan(_, _, let transport), .roam(_, _, let transport), .walk(_, let transport): transport.shares
    case .ride(let routes, _): routes.routes[0].transport.shares
    case .errands(let ground, _):
      switch ground {
      case .city(_, let transport), .open(_, let transport): transport.shares
      case .routes(let routes): routes.routes[0].transport.shares
      }
    }
  }

  /// A body that begins at an instant; `index` is its device's place in the fleet.
  func body(seed: UInt64, device: UInt64, index: Int, clock: DayClock, start: MonotonicInstant) -> Body {
    switch self {
    case .plan(let occupation, let city, let transport):
      let plan = DailyPlan(seed: seed, device: device, occupation: occupation)
      return Body(in: city, clock: clock, plan: plan, transport: transport, start: start)
    case .roam(let aim, let city, let transport):
      return Body(roaming: city, aim, transport: transport, seed: seed, device: device, start: start)
    case .ride(let routes, let repetition):
      return Body(along: routes, repetition: repetition, seed: seed, device: device, index: index, start: start)
    case .walk(let rules, let transport):
      return Body(walking: rules, transport: transport, seed: seed, device: device, start: start)
    case .errands(let ground, let orders):
      let errands = Errands(on: ground, orders: orders[index], seed: seed, device: device, index: index)
      return Body(errands, start: start)
    }
  }
}
