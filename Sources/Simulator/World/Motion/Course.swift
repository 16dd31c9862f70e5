package import Base

/// A path with the speed limit of each edge and the stops along it.
struct Course: Sendable {
  /// A reason to stop at a vertex.
  enum Stop: Equatable, Sendable {
    case halt(seconds: Double)
    case light(TrafficLight, isNorthSouth: Bool)
  }

  let path: Path
  /// Metres per second per edge; one fewer than vertices.
  let limits: [Double]
  /// Sorted by vertex, at most one per vertex, none at the first and last.
  let stops: [(vertex: Int, stop: Stop)]

  init(path: Path, limits: [Double], stops: [(vertex: Int, stop: Stop)] = []) {
    precondition(limits.count == path.vertices.count - 1, "each edge has a limit")
    precondition(limits.allSatisfy { $0 > 0 }, "a limit is more than nothing")
    self.path = path
    self.limits = limits
    self.stops = stops
  }
}

extension Course {
  /// Returns the course with random stops: the distances between them are exponential, so that their number has a
  /// Poisson distribution.
  func halting(_ stops: Transport.Stops?, from stream: RandomStream) -> Course {
    guard let stops, stops.perKilometre > 0, path.vertices.count > 1 else { return self }
    var stream = stream
    var (vertices, limits, halts) = ([path.vertices[0]], [Double](), [(vertex: Int, stop: Stop)]())
    var next = self.stops[...]
    // All random stops of a trip together.
    var secondsLeft = Distribution.longestSeconds
    var metres = stream.exponential(mean: 1_000 / stops.perKilometre)
    for edge in self.limits.indices {
      while metres < path.metres[edge + 1] {
        // Not at a vertex, which may have a stop of its own.
        if metres - path.metres[edge] > 1, path.metres[edge + 1] - metres > 1 {
          let seconds = min(stops.duration.draw(from: &stream), secondsLeft)
          secondsLeft -= seconds
          halts.append((vertices.count, .halt(seconds: seconds)))
          vertices.append(path.place(atMetres: metres))
          limits.append(self.limits[edge])
        }
        metres += max(stream.exponential(mean: 1_000 / stops.perKilometre), 3)
      }
      if let stop = next.first, stop.vertex == edge + 1 {
        halts.append((vertices.count, stop.stop))
        next.removeFirst()
      }
      vertices.append(path.vertices[edge + 1])
      limits.append(self.limits[edge])
    }
    return Course(path: Path(vertices), limits: limits, stops: halts)
  }

  /// Returns the first `metres`; the whole if it is shorter.
  func prefix(metres: Double) -> Course {
    guard metres < path.lengthMetres, path.vertices.count > 1 else { return self }
    let edge = path.edge(atMetres: metres)
    let path = path.prefix(metres: metres)
    let last = path.vertices.count - 1
    return Course(
      path: path, limits: Array(limits[..<min(edge + 1, last)]), stops: stops.filter { $0.vertex < last })
  }
}

extension Path {
  /// Returns the first `metres`, at least a short section.
  func prefix(metres: Double) -> Path {
    guard metres < lengthMetres else { return self }
    let edge = edge(atMetres: metres)
    return Path(vertices[...edge] + [place(atMetres: metres)])
  }
}

extension Course {
  /// The same course in the opposite direction.
  var reversed: Course {
    let last = path.vertices.count - 1
    return Course(
      path: Path(path.vertices.reversed()), limits: limits.reversed(),
      stops: stops.reversed().map { (last - $0.vertex, $0.stop) })
  }
}

/// A period under a cover that blocks signals.
package struct Cover: Equatable, Sendable {
  /// The kind of cover.
  package enum Kind: Equatable, Sendable {
    /// Blocks satellites and radio.
    case tunnel
    /// Blocks radio only.
    case deadZone
  }

  package let kind: Kind
  package let start: MonotonicInstant
  package let end: MonotonicInstant

  package init(kind: Kind, start: MonotonicInstant, end: MonotonicInstant) {
    self.kind = kind
    self.start = start
    self.end = end
  }
}

/// A light with a fixed cycle: the first half belongs to north–south streets, the second to the others.
package struct TrafficLight: Equatable, Sendable {
  package let cycleSeconds: Double
  /// The start of a cycle.
  package let offsetSeconds: Double
  /// At the end of each half all directions have red.
  static let clearingSeconds = 4.0

  /// Returns the waiting time of an arrival; 0 at green.
  package func wait(at seconds: Double, isNorthSouth: Bool) -> Double {
    let half = 0.5 * cycleSeconds
    let start = offsetSeconds + (isNorthSouth ? 0 : half)
    let cycles = ((seconds - start) / cycleSeconds).rounded(.down)
    let phase = seconds - start - cycles * cycleSeconds
    return phase < half - TrafficLight.clearingSeconds ? 0 : max(cycleSeconds - phase, 0)
  }
}

/// A means of transport, shared by all bodies that use it.
package final class Transport: Sendable {
  /// Random stops, independent of the map.
  package struct Stops: Equatable, Sendable {
    package let perKilometre: Double
    /// Seconds.
    package let duration: Distribution

    package init(perKilometre: Double, duration: Distribution) {
      self.perKilometre = perKilometre
      self.duration = duration
    }
  }

  package let mover: Mover
  /// The standard deviation of the top speed between bodies, as a share of it.
  package let speedVariation: Double
  package let stops: Stops?
  package let activity: MotionActivity
  /// The activities that the motion sensors report during movement; nil: usually the true one.
  package let shares: ActivityShares?

  package init(
    mover: Mover, speedVariation: Double = 0, stops: Stops? = nil, activity: MotionActivity,
    shares: ActivityShares? = nil
  ) {
    precondition(speedVariation >= 0 && (stops?.perKilometre ?? 0) >= 0, "there is no less than none")
    self.mover = mover
    self.speedVariation = speedVariation
    self.stops = stops
    self.activity = shares?.truth ?? activity
    self.shares = shares
  }

  package static let car = Transport(mover: .car, activity: .inVehicle)
  package static let bicycle = Transport(mover: .bicycle, activity: .onBicycle)
  package static let foot = Transport(mover: .pedestrian, activity: .walking)

  /// Returns the transport with another top speed.
  package func faster(by factor: Double) -> Transport {
    var mover = mover
    mover.topSpeed *= factor
    return Transport(
      mover: mover, speedVariation: speedVariation, stops: stops, activity: activity, shares: shares)
  }

  /// Returns the mover of one body, with its own top speed for all trips.
  func mover(seed: UInt64, device: UInt64) -> Mover {
    guard speedVariation > 0 else { return mover }
    var stream = RandomStreamID.gait.stream(seed: seed, device: device)
    var own = mover
    own.topSpeed *= min(max(1 + speedVariation * stream.normal(), 0.2), 3)
    return own
  }
}
