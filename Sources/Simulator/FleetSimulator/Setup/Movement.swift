import Base
import Scenario
package import World

/// How the bodies of a fleet move.
package enum Movement: Sendable {
  /// By a daily schedule in a city.
  case plan(Occupation, City, Transport)
  /// From place to place in a city.
  case roam(RoamingAim, City, Transport)
  /// Along recorded routes.
  case ride(RouteSet, RouteRepetition)
  /// Over open ground.
  case walk(WalkRules, Transport)
  /// On scheduled trips; `trips` holds those of each device of the whole fleet.
  case scheduled(Ground, trips: [[ScheduledTrips.PlannedTrip]])

  /// Returns a movement back and forth between home and work, from the first second.
  package static func shuttle(_ transport: Transport, in city: City) -> Movement { .roam(.shuttle, city, transport) }

  /// Returns a movement by a daily schedule, with a suitable means of transport.
  package static func plan(_ occupation: Occupation, in city: City) -> Movement {
    .plan(occupation, city, occupation.transport)
  }

  /// The activities that the motion sensors report during movement.
  var shares: ActivityShares? {
    switch self {
    case .plan(_, _, let transport), .roam(_, _, let transport), .walk(_, let transport): transport.shares
    case .ride(let routes, _): routes.routes[0].transport.shares
    case .scheduled(let ground, _):
      switch ground {
      case .city(_, let transport), .open(_, let transport): transport.shares
      case .routes(let routes): routes.routes[0].transport.shares
      }
    }
  }

  /// Returns a body that begins at an instant; `index` is the index of its device in the fleet.
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
    case .scheduled(let ground, let trips):
      let trips = ScheduledTrips(
        on: ground, trips: trips.indices.contains(index) ? trips[index] : [], seed: seed, device: device,
        index: index)
      return Body(trips, start: start)
    }
  }
}

/// Makes movements from routes; caches cities and, in `files`, recorded routes, which several fleets may share.
struct MovementBuilder {
  let scenario: Scenario
  let files: RouteFiles
  private var cities: [(route: GridCity, city: City)] = []

  init(_ scenario: Scenario, _ files: RouteFiles) { (self.scenario, self.files) = (scenario, files) }

  /// Returns the problems of a fleet's route that only its files show. Cities and walks have none of these, and are not built.
  func problems(of traits: FleetTraits) -> [ScenarioProblem] {
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)), let name = traits.routes,
      let route = scenario.routes.first(where: { $0.name == name })?.value
    else { return [] }
    var problems: [ScenarioProblem] = []
    let (transport, place) = (RunSetup.transport(motion), "routes.\(name.asPathStep)")
    switch route {
    case .city, .walk: break
    case .replay(let replay): _ = read(replay, transport, place, &problems)
    case .collection(let collection): _ = read(collection, transport, place, &problems)
    }
    return problems
  }

  /// Returns the movement of the devices and the ground of scheduled trips. Nil after a problem.
  mutating func build(
    _ traits: FleetTraits, _ problems: inout [ScenarioProblem]
  ) -> (movement: Movement, ground: Ground, place: FencedPlace)? {
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)) else { return nil }
    let transport = RunSetup.transport(motion)
    guard let name = traits.routes, let route = scenario.routes.first(where: { $0.name == name })?.value else {
      let city = city(GridCity())
      return (.shuttle(transport, in: city), .city(city, transport), .city(city))
    }
    let place = "routes.\(name.asPathStep)"
    switch route {
    case .city(let declared):
      let city = city(declared)
      let movement: Movement =
        switch declared.trips {
        case .plan(let plan): .plan(Occupation(plan), city, transport)
        case .markov(let dwell): .roam(.anywhere(dwell: dwell), city, transport)
        }
      return (movement, .city(city, transport), .city(city))
    case .walk(let walk):
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

  private mutating func city(_ route: GridCity) -> City {
    // Trips do not belong to the city.
    if let known = cities.first(where: { $0.route.isSamePlace(as: route) }) { return known.city }
    let city = City(
      seed: scenario.seed, center: route.center, columns: route.blocksASide, rows: route.blocksASide,
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

extension RunSetup {
  /// Returns the transport of a fleet's bodies.
  static func transport(_ motion: DeclaredMotion) -> Transport {
    let shares = ActivityShares(
      motion.activity.map { (activity: MotionActivity(name: $0.name), share: $0.value) })
    switch motion.speed {
    case .driver(let driver):
      let mover = Mover(
        topSpeed: max(driver.desiredMetresPerSecond, leastSpeed), acceleration: driver.acceleration,
        braking: driver.braking, lateralAcceleration: 2.5, obeysLights: true, unsteadiness: 0.1)
      let stops = driver.stops.map { Transport.Stops(perKilometre: $0.perKilometre, duration: $0.duration) }
      return Transport(mover: mover, stops: stops, activity: activity(at: mover.topSpeed), shares: shares)
    case .steady(let steady):
      // The same speed on every street.
      let mover = Mover(
        topSpeed: max(steady.meanMetresPerSecond, leastSpeed), acceleration: 1, braking: 1,
        lateralAcceleration: 1_000, obeysLights: false, obeysLimits: false, unsteadiness: 0)
      return Transport(
        mover: mover, speedVariation: steady.variation, activity: activity(at: mover.topSpeed), shares: shares)
    }
  }

  static func receiver(_ gps: DeclaredReceiver) -> GPSModel {
    GPSModel(
      sigmaMetres: max(gps.sigmaMetres, 0.01), correlationSeconds: max(gps.correlationTime.seconds, 0.1),
      outliersPerHour: min(gps.outliers?.perHour ?? 0, 99),
      outlierDistance: gps.outliers?.distance ?? .constant(0), isBlindInTunnels: gps.dropouts.zones == .tunnels,
      accuracyShare: gps.accuracy.share)
  }

  /// Metres per second; a speed of 0 is not a movement.
  private static let leastSpeed = 0.1

  /// Returns the activity for a motion that declares none.
  private static func activity(at speed: Double) -> MotionActivity {
    speed > 8 ? .inVehicle : speed > 2.5 ? .onBicycle : .onFoot
  }
}

extension MotionActivity {
  /// From the SDK's name, which the scenario's table has validated.
  fileprivate init(name: String) {
    switch name {
    case "still": self = .still
    case "on_foot": self = .onFoot
    case "walking": self = .walking
    case "running": self = .running
    case "on_bicycle": self = .onBicycle
    case "in_vehicle": self = .inVehicle
    default: self = .unknown
    }
  }
}
