package import Base

/// A motion that starts at an instant of the run, with its covered parts.
package struct Trip: Sendable {
  package let start: MonotonicInstant
  package let motion: Motion
  package let transport: Transport
  /// In order of time, without overlaps.
  package let covers: [Cover]

  package init(start: MonotonicInstant, motion: Motion, transport: Transport, covers: [Cover] = []) {
    self.start = start
    self.motion = motion
    self.transport = transport
    self.covers = covers
  }

  package var end: MonotonicInstant { instant(motion.durationSeconds) }

  /// Returns the time since the start of the trip.
  func seconds(at instant: MonotonicInstant) -> Double { (instant - start).seconds }

  func instant(_ seconds: Double) -> MonotonicInstant {
    start + Nanoseconds.milliseconds(Int64((seconds * 1e3).rounded(.up)))
  }

  package func place(at instant: MonotonicInstant) -> Coordinate { motion.place(at: seconds(at: instant)) }

  /// Returns the first whole millisecond after `instant` at which the body is on the other side of the circle; nil when it
  /// does not cross on this trip. A passage shorter than a millisecond may be missed.
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
    // Because of rounding, a body that has just reached the circle may seem to be a nanometre on its old side.
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

  /// Returns when the body next stops, moves on, enters or leaves a cover, or arrives.
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
  /// Drives a course, and determines when it passes the zones along each edge.
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

  /// Returns the periods in which a motion passes the zones along its edges.
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

  /// Sorts by time, and joins covers that continue from one edge to the next.
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
