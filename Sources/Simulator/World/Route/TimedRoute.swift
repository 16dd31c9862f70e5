package import Base

/// A route that is ready to be travelled: a path, and the motion or the limits along it.
package struct TimedRoute: Sendable {
  private enum Timing: Sendable {
    case recorded(Motion)
    case modelled(Course, seed: UInt64, device: UInt64)
  }

  package let path: Path
  package let transport: Transport
  private let zones: [Zone]
  private let timing: Timing

  /// With the times of the recording: between two points the body moves at an even speed. Every point needs a time, and
  /// none may lie before the one before it. `zones` are the tunnels and dead zones on the way.
  package init(recorded route: RouteRecording, transport: Transport, zones: [Zone] = []) throws(RouteError) {
    let motion = try route.recordedMotion()
    path = motion.path
    self.transport = transport
    self.zones = zones
    timing = .recorded(motion)
  }

  /// With the times that somebody would take who keeps `speedLimit` (metres per second), brakes for corners and stops so
  /// often for so long (times exponentially distributed). The stops and the pace are the device's own.
  package init(
    modelled route: RouteRecording, transport: Transport, speedLimit: Double, stopsPerKilometre: Double = 0,
    meanStopSeconds: Double = 0, zones: [Zone] = [], seed: UInt64, device: UInt64
  ) {
    precondition(speedLimit > 0 && stopsPerKilometre >= 0 && meanStopSeconds >= 0, "a route can be travelled")
    var halts = Concern.halts.stream(seed: seed, device: device)
    let course = TimedRoute.course(
      along: Path(route.points.map(\.place)), speedLimit: speedLimit, stopsPerKilometre: stopsPerKilometre,
      meanStopSeconds: meanStopSeconds, from: &halts)
    path = course.path
    self.transport = transport
    self.zones = zones
    timing = .modelled(course, seed: seed, device: device)
  }

  /// One ride along the route, or back.
  package func trip(at start: MonotonicInstant, isForward: Bool) -> Trip {
    switch timing {
    case .recorded(let motion):
      let motion = isForward ? motion : motion.reversed
      let covers = Trip.covers(of: motion, from: start) { _, _ in zones }
      return Trip(start: start, motion: motion, transport: transport, covers: covers)
    case .modelled(let course, let seed, let device):
      let paces = PaceStream(seed: seed, device: device, trip: isForward ? 0 : 1)
      return Trip.driving(
        isForward ? course : course.reversed, by: transport, at: start, paces: paces, zones: { _, _ in zones })
    }
  }

  /// Puts a vertex where the body is to stand; the ways between stops are exponentially distributed, so that their number
  /// is a Poisson number.
  private static func course(
    along path: Path, speedLimit: Double, stopsPerKilometre: Double, meanStopSeconds: Double,
    from stream: inout RandomStream
  ) -> Course {
    guard stopsPerKilometre > 0 else {
      return Course(path: path, limits: Array(repeating: speedLimit, count: path.vertices.count - 1))
    }
    var places: [(metres: Double, halt: Double)] = []
    var metres = stream.exponential(mean: 1_000 / stopsPerKilometre)
    while metres < path.lengthMetres {
      places.append((metres, stream.exponential(mean: meanStopSeconds)))
      metres += max(stream.exponential(mean: 1_000 / stopsPerKilometre), 1)
    }
    var vertices = [path.vertices[0]]
    var halts: [(place: Coordinate, seconds: Double)] = []
    var next = 0
    for edge in 0..<max(path.vertices.count - 1, 0) {
      while next < places.count, places[next].metres <= path.metres[edge + 1] {
        let place = path.place(atMetres: places[next].metres)
        vertices.append(place)
        halts.append((place, places[next].halt))
        next += 1
      }
      vertices.append(path.vertices[edge + 1])
    }
    return course(along: Path(vertices), speedLimit: speedLimit, halts: halts)
  }

  /// The path may have lost vertices that equal their neighbours, so the halts are found again by their places.
  private static func course(
    along path: Path, speedLimit: Double, halts: [(place: Coordinate, seconds: Double)]
  ) -> Course {
    var stops: [(vertex: Int, stop: Course.Stop)] = []
    var next = 0
    for vertex in path.vertices.indices.dropFirst().dropLast() {
      guard next < halts.count, path.vertices[vertex] == halts[next].place else { continue }
      stops.append((vertex, .halt(seconds: halts[next].seconds)))
      next += 1
    }
    return Course(
      path: path, limits: Array(repeating: speedLimit, count: path.vertices.count - 1), stops: stops)
  }
}
