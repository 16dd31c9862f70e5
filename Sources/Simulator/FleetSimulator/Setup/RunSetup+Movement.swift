import Base
import Scenario
import World

/// Turns routes into movement; remembers cities and files, which many fleets may share.
struct MovementBuilder {
  let scenario: Scenario
  let files: RouteFiles
  private var cities: [(route: GridCity, city: City)] = []

  init(_ scenario: Scenario, _ files: RouteFiles) { (self.scenario, self.files) = (scenario, files) }

  /// How the devices move by themselves, and where trips lead that are ordered. Nil after a problem.
  mutating func build(
    _ traits: FleetTraits, _ problems: inout [String]
  ) -> (movement: Movement, ground: Ground, place: FencedPlace)? {
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)) else { return nil }
    let transport = RunSetup.transport(motion)
    guard let name = traits.routes, let route = scenario.routes.first(where: { $0.name == name })?.value else {
      guard let city = city(GridCity(), "routes", &problems) else { return nil }
      return (.shuttle(transport, in: city), .city(city, transport), .city(city))
    }
    let place = "routes.\(name)"
    switch route {
    case .city(let declared):
      guard let city = city(declared, place, &problems) else { return nil }
      let movement: Movement =
        switch declared.trips {
        case .plan(let plan): .plan(Occupation(plan), city, transport)
        case .markov(let dwell): .roam(.anywhere(dwell: dwell), city, transport)
        }
      return (movement, .city(city, transport), .city(city))
    case .walk(let walk):
      guard walk.step >= .milliseconds(100), walk.meanSpeedMetresPerSecond > 0 else {
        problems.append("\(place): a walk has steps of at least 100ms and a meanSpeed above 0")
        return nil
      }
      let rules = WalkRules(
        center: walk.center, meanSpeed: walk.meanSpeedMetresPerSecond, alpha: walk.alpha,
        stepSeconds: walk.step.seconds)
      return (.walk(rules, transport), .open(rules, transport), .around(walk.center))
    case .replay(let replay):
      guard let route = read(replay, transport, place, &problems) else { return nil }
      let routes = RouteSet([route])
      return (.ride(routes, RouteRepetition(replay.loop)), .routes(routes), .along(routes))
    case .collection(let collection):
      guard let routes = read(collection, transport, place, &problems) else { return nil }
      return (.ride(routes, .loop), .routes(routes), .along(routes))
    }
  }

  private mutating func city(_ route: GridCity, _ place: String, _ problems: inout [String]) -> City? {
    // The trips are no part of the city.
    if let known = cities.first(where: { $0.route.isSamePlace(as: route) }) { return known.city }
    let blocks = (route.extentMetres / max(route.blockMetres, 1)).rounded(.up)
    guard (50...500).contains(route.blockMetres), (1...4_096).contains(blocks), route.center.latitude.magnitude <= 80
    else {
      problems.append(
        "\(place): a city has blocks of 50 to 500 m, at most 4096 of them a side, and lies within 80 degrees of the equator"
      )
      return nil
    }
    let city = City(
      seed: scenario.seed, center: route.center, columns: Int(blocks), rows: Int(blocks),
      blockMetres: route.blockMetres)
    cities.append((route, city))
    return city
  }
}

extension GridCity {
  fileprivate func isSamePlace(as other: GridCity) -> Bool {
    center == other.center && extentMetres == other.extentMetres && blockMetres == other.blockMetres
  }
}

extension Occupation {
  fileprivate init(_ plan: DeclaredPlan) {
    switch plan {
    case .commuter: self = .commuter
    case .courier: self = .courier
    case .walker: self = .walker
    case .cyclist: self = .cyclist
    case .nightShift: self = .nightShift
    case .parked: self = .parkedCar
    }
  }
}

extension RouteRepetition {
  fileprivate init(_ loop: ReplayLoop) {
    switch loop {
    case .none: self = .once
    case .restart: self = .loop
    case .pingPong: self = .pingPong
    }
  }
}
