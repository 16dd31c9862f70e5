package import Base

/// A motion that begins at an instant of the run, and the parts of it under cover.
package struct Trip: Sendable {
  package let start: MonotonicInstant
  package let motion: Motion
  package let transport: Transport
  /// In the order of time, not overlapping.
  package let covers: [Cover]

  package init(start: MonotonicInstant, motion: Motion, transport: Transport, covers: [Cover] = []) {
    self.start = start
    self.motion = motion
    self.transport = transport
    self.covers = covers
  }

  package var end: MonotonicInstant { instant(motion.durationSeconds) }

  /// Since the start of the trip.
  func seconds(at instant: MonotonicInstant) -> Double { (instant - start).seconds }

  func instant(_ seconds: Double) -> MonotonicInstant {
    start + Nanoseconds.milliseconds(Int64((seconds * 1e3).rounded(.up)))
  }

  package func place(at instant: MonotonicInstant) -> Coordinate { motion.place(at: seconds(at: instant)) }

  /// The first whole millisecond after `instant` at which the body is on the other side of the circle than at `instant`;
  /// nil when that does not happen on this trip. A passage shorter than a millisecond may be missed.
  package func nextCrossing(of circle: Circle, after instant: MonotonicInstant) -> MonotonicInstant? {
    let now = seconds(at: instant)
    let scale = LocalScale(latitude: circle.center.latitude)
    let wasInside = isInside(circle, scale, at: instant)
    let metres = motion.metres(at: now)
    guard
      let crossing = motion.path.crossing(of: circle, isInside: wasInside, fromMetres: metres),
      let seconds = motion.seconds(atMetres: crossing)
    else { return nil }
    var found = max(self.instant(seconds), instant + .milliseconds(1))
    // What is left is rounding: a body that has just reached the circle may seem a nanometre on its old side.
    let last = found + .milliseconds(Trip.patience)
    while isInside(circle, scale, at: found) == wasInside {
      guard found < last else { return nil }
      found = found + .milliseconds(1)
    }
    return found
  }

  private static let patience: Int64 = 20

  private func isInside(_ circle: Circle, _ scale: LocalScale, at instant: MonotonicInstant) -> Bool {
    let offset = scale.offset(from: circle.center, to: place(at: instant))
    return offset.lengthSquared < circle.radiusMetres * circle.radiusMetres
  }

  /// When the body next stops, moves on, gets under cover or out of it, or arrives.
  package func nextChange(after instant: MonotonicInstant) -> MonotonicInstant? {
    var next = end
    if let halt = motion.nextHaltChange(after: seconds(at: instant)) { next = min(next, self.instant(halt)) }
    for cover in covers {
      if cover.start > instant {
        next = min(next, cover.start)
      } else if cover.end > instant {
        next = min(next, cover.end)
      }
    }
    return next > instant ? next : nil
  }

  package func cover(at instant: MonotonicInstant) -> Cover.Kind? {
    covers.first { $0.start <= instant && instant < $0.end }?.kind
  }
}

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
