package import Base

/// A route that is ready to be travelled: a path, and the motion or the limits along it.
package struct TimedRoute: Sendable {
  private enum Timing: Sendable {
    case recorded(Motion)
    case modelled(Course)
  }

  package let path: Path
  package let transport: Transport
  private let zones: [Zone]
  private let timing: Timing

  /// With the times of the recording, so many times as fast: between two points the body moves at an even speed. Every
  /// point needs a time, and none may lie before the one before it. `zones` are the tunnels and dead zones on the way.
  package init(
    recorded route: RouteRecording, factor: Double = 1, transport: Transport, zones: [Zone] = []
  ) throws(RouteError) {
    let motion = try route.recordedMotion(factor: factor)
    path = motion.path
    self.transport = transport
    self.zones = zones
    timing = .recorded(motion)
  }

  /// With the times that somebody would take who keeps `speedLimit` (metres per second), brakes for corners and stops as
  /// the transport says. The stops and the pace are the device's own.
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

  /// The ride of a device along the route, or back, `metresMax` far at most; `number` tells its rides apart.
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
