package import Base
package import Formats

/// A route with its path, and the motion or the limits along it.
package struct TimedRoute: Sendable {
  private enum Timing: Sendable {
    case recorded(Motion)
    case modelled(Course)
  }

  package let path: Path
  package let transport: Transport
  private let zones: [Zone]
  private let timing: Timing

  /// With the recorded times, accelerated by a factor: the speed between two points is constant. Every point needs a time, in
  /// ascending order. `zones` are the tunnels and dead zones on the way.
  package init(
    recorded route: RouteRecording, factor: Double = 1, transport: Transport, zones: [Zone] = []
  ) throws(RouteError) {
    let motion = try route.recordedMotion(factor: factor)
    path = motion.path
    self.transport = transport
    self.zones = zones
    timing = .recorded(motion)
  }

  /// With the times of a driver who keeps `speedLimit` (metres per second), brakes for corners and stops according to the
  /// transport. Stops and pace are specific to the device.
  package init(
    modelled route: RouteRecording, transport: Transport, speedLimit: Double = .infinity, zones: [Zone] = []
  ) {
    precondition(speedLimit > 0, "a route can be travelled")
    let path = Path(route.points.map(\.place))
    self.path = path
    self.transport = transport
    self.zones = zones
    timing = .modelled(
      Course(path: path, limits: Array(repeating: speedLimit, count: path.vertices.count - 1)))
  }

  /// Returns a device's ride along the route, or back, at most `metresMax` far; `number` distinguishes its rides.
  package func trip(
    at start: MonotonicInstant, isForward: Bool = true, seed: UInt64, device: UInt64, number: UInt64 = 0,
    metresMax: Double = .infinity
  ) -> Trip {
    switch timing {
    case .recorded(let motion):
      let motion = (isForward ? motion : motion.reversed).prefix(metres: metresMax)
      let covers = Trip.covers(of: motion, from: start) { _, _ in zones }
      return Trip(start: start, motion: motion, transport: transport, covers: covers)
    case .modelled(let course):
      let paces = PaceStream(seed: seed, device: device, trip: number)
      return Trip.driving(
        (isForward ? course : course.reversed).prefix(metres: metresMax), by: transport, at: start, paces: paces,
        zones: { _, _ in zones })
    }
  }
}

/// The continuation after the end of a route.
package enum RouteRepetition: Equatable, Sendable {
  case once
  /// From the beginning again, to which the body is moved.
  case loop
  /// Back along the same path, and so on.
  case pingPong
}

/// The recorded routes of a fleet, and how a ride selects one.
package final class RouteSet: Sendable {
  /// How a ride selects a route.
  package enum Pick: Sendable {
    /// All of them in random order per device, then all again in another order.
    case shuffle
    /// One after the other; each device begins with the next one.
    case sequence
    case random
  }

  /// At least one.
  package let routes: [TimedRoute]
  private let pick: Pick

  package init(_ routes: [TimedRoute], pick: Pick = .sequence) {
    precondition(!routes.isEmpty, "a set has at least one route")
    self.routes = routes
    self.pick = pick
  }

  /// Returns the route of a ride by its number, from 0. `index` is the index of the device in its fleet.
  func route(ofRide number: UInt64, seed: UInt64, device: UInt64, index: Int) -> TimedRoute {
    let count = routes.count
    guard count > 1 else { return routes[0] }
    switch pick {
    case .sequence: return routes[Int((UInt64(index) + number) % UInt64(count))]
    case .random:
      var stream = RandomStreamID.riding.stream(seed: seed, device: device, n: number << 2)
      return routes[stream.index(below: count)]
    case .shuffle:
      // Repeating the shuffle for each ride is cheaper than storing one per device.
      let round = number / UInt64(count)
      var stream = RandomStreamID.riding.stream(seed: seed, device: device, n: round << 24)
      var order = Array(0..<count)
      let place = Int(number % UInt64(count))
      for position in 0...place { order.swapAt(position, position + stream.index(below: count - position)) }
      return routes[order[place]]
    }
  }
}

extension RouteRecording {
  fileprivate func recordedMotion(factor: Double) throws(RouteError) -> Motion {
    var seconds: [Double] = []
    seconds.reserveCapacity(points.count)
    var previous: WallInstant?
    for point in points {
      guard let time = point.time else {
        throw RouteError(
          .missingTime, at: point.spot, "this point has no time; add one, or use timing: \"modelled\"")
      }
      if let previous, time < previous {
        throw RouteError(
          .timeStepsBack, at: point.spot,
          "this point is earlier than the one before it; put the points in order, or use timing: \"modelled\"")
      }
      previous = time
      let passed = Double(time.milliseconds(since: points[0].time ?? time)) / (1e3 * factor)
      guard passed < Nanoseconds.centurySeconds else {
        throw RouteError(
          .badTime, at: point.spot,
          "this point is more than a century after the first one; correct the times, or use timing: \"modelled\"")
      }
      seconds.append(passed)
    }
    return Motion(places: points.map(\.place), seconds: seconds)
  }
}
