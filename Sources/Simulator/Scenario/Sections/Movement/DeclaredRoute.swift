package import Base

/// The area or route on which devices move.
package enum DeclaredRoute: Equatable, Sendable {
  case collection(RouteCollection)
  case replay(RouteReplay)
  case city(GridCity)
  case walk(GaussMarkovWalk)
}

extension ValueCodec where Value == DeclaredRoute {
  static var route: ValueCodec {
    let generated = variants(
      tag: "model", standard: "grid-city",
      [
        Variant("grid-city") { .city($0) },
        Variant("gauss-markov") { .walk($0) },
      ])
    return variants(
      tag: "type",
      [
        Variant("collection") { .collection($0) },
        Variant("replay") { .replay($0) },
        Variant("generate", of: generated) { $0 },
      ])
  }
}

extension DeclaredRoute {
  /// Problems of values that could be read, by their keys.
  var problems: [ScenarioProblem] {
    switch self {
    case .collection, .replay: []
    case .city(let city): city.problems
    case .walk(let walk): walk.problems
    }
  }
}

/// One recorded route.
package struct RouteReplay: Equatable, Sendable {
  package var file = ""
  package var format: RouteFormat?
  package var timing = ReplayTiming.recorded
  package var speed = 1.0
  package var loop = ReplayLoop.none

  package init() {}
}

extension RouteReplay: ScenarioSection {
  static let table = Table<RouteReplay>(
    "route-replay", "One recorded route, for every device.",
    [
      .required("file", \.file, .text, "The file; relative to the scenario."),
      .optional("format", \.format, .choice, "File format, when the file name does not show it."),
      .key("timing", \.timing, .choice, "Recorded timing, or timing from the motion."),
      .key("speed", \.speed, .number(0.01...100), "Speed as a multiple of the recorded or modelled speed."),
      .key("loop", \.loop, .choice, "What happens at the end of the route."),
    ])
}

/// Many recorded routes.
package struct RouteCollection: Equatable, Sendable {
  /// A pattern of file names.
  package var files = ""
  package var format = RouteFormat.polyline
  package var pick = RoutePick.shuffle

  package init() {}
}

extension RouteCollection: ScenarioSection {
  static let table = Table<RouteCollection>(
    "route-collection", "Many recorded routes; each trip takes one.",
    [
      .required("files", \.files, .text, "The files, with `*` for any letters; relative to the scenario."),
      .key("format", \.format, .choice, "File format."),
      .key("pick", \.pick, .choice, "Which one a trip takes."),
    ])
}

/// The format of a recorded route.
package enum RouteFormat: String, CaseIterable, Sendable {
  case polyline = "bgsim-polyline"
  case gpx
  case geojson
  case csv
  case ndjson
  case sdkLog = "sdk-log"
}

/// How a device chooses a route of a collection.
package enum RoutePick: String, CaseIterable, Sendable {
  case shuffle
  case sequence
  case random
}

/// The continuation after the end of a recorded route.
package enum ReplayLoop: String, CaseIterable, Sendable {
  case none
  case restart
  case pingPong = "ping-pong"
}

/// The timing of a recorded route.
package enum ReplayTiming: String, CaseIterable, Sendable {
  case recorded
  case modelled
}

/// A generated city.
package struct GridCity: Equatable, Sendable {
  package var center = Coordinate.munich
  package var extentMetres = 6_000.0
  package var blockMetres = 120.0
  package var trips = TripModel.markov(dwell: MarkovTrips().dwell)

  package init() {}
}

extension Coordinate {
  /// Marienplatz, the default.
  fileprivate static let munich: Coordinate = {
    guard let place = Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the place is on the earth")
    }
    return place
  }()
}

extension GridCity: ScenarioSection {
  static let table = Table<GridCity>(
    "route-grid-city", "A city made from the seed: streets, lights, homes, work, shops, depots and tunnels.",
    [
      .key("center", \.center, .place, "Centre of the city, at most 80 degrees from the equator."),
      .key("extent", \.extentMetres, .quantity(.length), "Width of the city, at most 4096 blocks."),
      .key("block", \.blockMetres, .quantity(.length), "Distance between streets, 50m to 500m."),
      .key("trips", \.trips, .trips, "Trips of the devices; from place to place by default."),
    ])
}

extension GridCity {
  private static let blocks = 1...4_096
  private static let blockMetres = 50.0...500.0

  /// The number of blocks on each side.
  package var blocksASide: Int { Int((extentMetres / blockMetres).rounded(.up)) }

  fileprivate var problems: [ScenarioProblem] {
    var problems: [ScenarioProblem] = []
    if center.latitude.magnitude > 80 {
      problems.append(
        ScenarioProblem(
          .outOfRange, "center", "the city is too close to a pole", remedy: "write a latitude from -80 to 80"))
    }
    guard GridCity.blockMetres.contains(blockMetres) else {
      let text = QuantityKind.length.text(blockMetres)
      return problems + [
        ScenarioProblem(.outOfRange, "block", "\(text) is out of range", remedy: "write a length from 50m to 500m")
      ]
    }
    if !GridCity.blocks.contains(blocksASide) {
      problems.append(
        ScenarioProblem(
          .outOfRange, "extent", "the city has \(blocksASide) blocks a side",
          remedy: "write a length of 1 to \(GridCity.blocks.upperBound) blocks"))
    }
    return problems
  }
}

extension GaussMarkovWalk {
  fileprivate var problems: [ScenarioProblem] {
    var problems: [ScenarioProblem] = []
    if step < .milliseconds(100) || step > .seconds(86_400) {
      let text = QuantityKind.duration.text(step.seconds)
      problems.append(
        ScenarioProblem(.outOfRange, "step", "\(text) is out of range", remedy: "write a duration from 100ms to 1d"))
    }
    if meanSpeedMetresPerSecond <= 0 {
      problems.append(
        ScenarioProblem(.outOfRange, "meanSpeed", "the walk stands still", remedy: "write a speed above 0"))
    }
    return problems
  }
}

/// A walk with correlated steps.
package struct GaussMarkovWalk: Equatable, Sendable {
  package var center = GridCity().center
  package var meanSpeedMetresPerSecond = 1.35
  package var alpha = 0.85
  package var step = Nanoseconds.seconds(1)

  package init() {}
}

extension GaussMarkovWalk: ScenarioSection {
  static let table = Table<GaussMarkovWalk>(
    "route-gauss-markov",
    """
    A walk over open ground whose next step is much like the last. It begins within 300 m of the centre, never rests, and \
    turns back beyond 1 km.
    """,
    [
      .key("center", \.center, .place, "Starting point."),
      .key(
        "meanSpeed", \.meanSpeedMetresPerSecond, .quantity(.speed),
        "Mean speed, more than 0; overrides that of the motion."),
      .key("alpha", \.alpha, .share, "Correlation of consecutive steps."),
      .key("step", \.step, .duration, "How long a step takes, 100ms to 1d."),
    ])
}

/// A person's daily schedule.
package enum DeclaredPlan: String, CaseIterable, Sendable {
  case commuter
  case courier
  case walker
  case cyclist
  case nightShift = "night-shift"
  case parked
}

/// How people move in a city.
package enum TripModel: Equatable, Sendable {
  /// By a daily schedule.
  case plan(DeclaredPlan)
  /// From place to place, endlessly, with a pause of `dwell` seconds at each.
  case markov(dwell: Distribution)
}

/// `{ model: "plan", plan }`.
struct PlannedTrips: ScenarioSection {
  var plan = DeclaredPlan.commuter

  static let table = Table<PlannedTrips>(
    "trips-plan", "A day that follows a plan.", [.key("plan", \.plan, .choice, "Name of the plan.")])
}

/// `{ model: "markov", dwell }`.
struct MarkovTrips: ScenarioSection {
  var dwell = Distribution.lognormal(median: 240, p95: 1_500)

  static let table = Table<MarkovTrips>(
    "trips-markov", "Trips from place to place, without end.",
    [
      .key(
        "dwell", \.dwell, .distribution(InSeconds.self),
        "Time at each place; by default with a median of 4 m, and 25 m at the 95th percentile.")
    ])
}

extension ValueCodec where Value == TripModel {
  static var trips: ValueCodec {
    variants(
      tag: "model", standard: "markov",
      [
        Variant("plan") { (section: PlannedTrips) in .plan(section.plan) },
        Variant("markov") { (section: MarkovTrips) in .markov(dwell: section.dwell) },
      ])
  }
}
