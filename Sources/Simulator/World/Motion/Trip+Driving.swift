import Base

extension Trip {
  /// Drives a course and notes when it leads through the zones that lie along each edge.
  static func driving(
    _ course: Course, by transport: Transport, at start: MonotonicInstant, paces: PaceStream,
    zones: (Coordinate, Coordinate) -> [Zone]
  ) -> Trip {
    var paces = paces
    let mover = paces.mover(of: transport)
    let course = course.halting(transport.stops, from: paces.halts)
    let factors = paces.factors(count: course.limits.count, unsteadiness: mover.unsteadiness)
    let stops = mover.obeysLights ? course.stops : course.stops.filter { !$0.stop.isLight }
    let limits = mover.obeysLimits ? course.limits : course.limits.map { _ in .infinity }
    let motion = SpeedPlan.motion(
      of: Course(path: course.path, limits: limits, stops: stops), by: mover, startSeconds: start.seconds,
      paces: factors)
    return Trip(
      start: start, motion: motion, transport: transport, covers: covers(of: motion, from: start, zones: zones))
  }

  /// When a motion leads through the zones that lie along each of its edges.
  static func covers(
    of motion: Motion, from start: MonotonicInstant, zones: (Coordinate, Coordinate) -> [Zone]
  ) -> [Cover] {
    let (vertices, metres) = (motion.path.vertices, motion.path.metres)
    var covers: [Cover] = []
    for edge in 0..<vertices.count - 1 {
      for zone in zones(vertices[edge], vertices[edge + 1]) {
        for part in zone.area.parts(ofEdgeFrom: vertices[edge], to: vertices[edge + 1]) {
          let length = metres[edge + 1] - metres[edge]
          let (first, last) = (metres[edge] + part.lowerBound * length, metres[edge] + part.upperBound * length)
          guard let entered = motion.seconds(atMetres: first), let left = motion.secondsLeaving(metres: last) else {
            continue
          }
          let cover = Cover(
            kind: zone.kind, start: MonotonicInstant(secondsRoundedUp: start.seconds + entered),
            end: MonotonicInstant(secondsRoundedUp: start.seconds + left))
          covers.append(cover)
        }
      }
    }
    return joined(covers)
  }

  /// In the order of time, and in one piece where one edge leads into a zone and the next one on through it.
  private static func joined(_ covers: [Cover]) -> [Cover] {
    var joined: [Cover] = []
    for cover in covers.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) where cover.start < cover.end {
      if let last = joined.last, last.kind == cover.kind, cover.start <= last.end {
        joined[joined.count - 1] = Cover(kind: last.kind, start: last.start, end: max(last.end, cover.end))
      } else {
        joined.append(cover)
      }
    }
    return joined
  }
}

extension Course.Stop {
  var isLight: Bool {
    switch self {
    case .light: true
    case .halt: false
    }
  }
}
