import Base

/// Computes the fastest motion along a course within every limit, corner and stop and the mover's acceleration and braking.
///
/// Speeds at the vertices come from two passes, backwards for braking (v² ≤ v'² + 2 b s) and forwards for accelerating (v² ≤
/// v'² + 2 a s); between two vertices the body accelerates, keeps its speed and brakes. Whether a light is red is known when
/// the body would arrive without stopping; if so, the section after the last stop is computed again.
struct SpeedPlan {
  private let course: Course
  private let mover: Mover
  private let startSeconds: Double
  /// For each edge, the minimum of its limit and the mover's top speed at its pace.
  private let limits: [Double]
  private var caps: [Double]
  private var pieces: [MotionPiece] = []
  private var seconds = 0.0

  /// Returns the motion. `startSeconds` is the time since the zero of the run, for the lights. `paces` are factors up
  /// to 1, one per edge.
  static func motion(of course: Course, by mover: Mover, startSeconds: Double, paces: [Double]) -> Motion {
    guard course.path.vertices.count > 1 else {
      let piece = MotionPiece(startSeconds: 0, startMetres: 0, speed: 0, acceleration: 0)
      return Motion(path: course.path, pieces: [piece], durationSeconds: 0)
    }
    var plan = SpeedPlan(course: course, mover: mover, startSeconds: startSeconds, paces: paces)
    plan.drive()
    return Motion(path: course.path, pieces: plan.pieces, durationSeconds: plan.seconds)
  }

  private init(course: Course, mover: Mover, startSeconds: Double, paces: [Double]) {
    self.course = course
    self.mover = mover
    self.startSeconds = startSeconds
    limits = zip(course.limits, paces).map { min($0, mover.topSpeed) * $1 }
    caps = SpeedPlan.cornerSpeeds(of: course, by: mover)
    pieces.reserveCapacity(course.limits.count * 3)
    brake(through: 0...limits.count)
  }

  private static func cornerSpeeds(of course: Course, by mover: Mover) -> [Double] {
    let vertices = course.path.vertices
    var caps = [Double](repeating: 0, count: vertices.count)
    let scale = LocalScale(latitude: vertices[0].latitude)
    var arriving = scale.offset(from: vertices[0], to: vertices[1])
    for vertex in 1..<max(vertices.count - 1, 1) {
      let leaving = scale.offset(from: vertices[vertex], to: vertices[vertex + 1])
      caps[vertex] = mover.speed(aroundCornerFrom: arriving, to: leaving)
      arriving = leaving
    }
    for stop in course.stops {
      if case .halt = stop.stop { caps[stop.vertex] = 0 }
    }
    return caps
  }

  /// Lowers the speeds at the vertices until each edge is long enough to brake and none is entered or left too fast.
  private mutating func brake(through range: ClosedRange<Int>) {
    for edge in (range.lowerBound..<range.upperBound).reversed() {
      let next = min(caps[edge + 1], limits[edge])
      caps[edge + 1] = next
      let braked = (next * next + 2 * mover.braking * length(edge)).squareRoot()
      caps[edge] = min(caps[edge], limits[edge], braked)
    }
  }

  private func length(_ edge: Int) -> Double { course.path.metres[edge + 1] - course.path.metres[edge] }

  private mutating func drive() {
    var vertex = 0
    var speed = 0.0
    for (target, stop) in course.stops {
      switch stop {
      case .halt(let halt):
        drive(from: &vertex, to: target, speed: &speed)
        stand(at: target, for: halt)
      case .light(let light, let isNorthSouth):
        let mark = (pieces: pieces.count, seconds: seconds, vertex: vertex, speed: speed)
        drive(from: &vertex, to: target, speed: &speed)
        guard light.wait(at: startSeconds + seconds, isNorthSouth: isNorthSouth) > 0,
          canStop(at: target, from: mark.vertex, speed: mark.speed)
        else { continue }
        pieces.removeSubrange(mark.pieces...)
        (seconds, vertex, speed) = (mark.seconds, mark.vertex, mark.speed)
        drive(from: &vertex, to: target, speed: &speed)
        stand(at: target, for: light.wait(at: startSeconds + seconds, isNorthSouth: isNorthSouth))
      }
    }
    drive(from: &vertex, to: limits.count, speed: &speed)
  }

  /// Reports whether the body can still brake for a vertex; if so, limits the speeds on the way. Otherwise it goes on, as
  /// drivers do when it is too late.
  private mutating func canStop(at target: Int, from vertex: Int, speed: Double) -> Bool {
    let before = caps[vertex...target]
    caps[target] = 0
    brake(through: vertex...target)
    if caps[vertex] >= speed { return true }
    caps.replaceSubrange(vertex...target, with: before)
    return false
  }

  private mutating func stand(at vertex: Int, for halt: Double) {
    guard halt > 0 else { return }
    append(metres: course.path.metres[vertex], speed: 0, acceleration: 0)
    seconds += halt
  }

  private mutating func drive(from vertex: inout Int, to target: Int, speed: inout Double) {
    while vertex < target {
      let gained = (speed * speed + 2 * mover.acceleration * length(vertex)).squareRoot()
      let end = min(caps[vertex + 1], gained)
      drive(edge: vertex, from: speed, to: end)
      speed = end
      vertex += 1
    }
  }

  /// A rounding error in metres or metres per second, which would make a piece without duration.
  private static let negligible = 1e-9

  /// Adds up to three pieces: accelerating, constant, braking.
  private mutating func drive(edge: Int, from start: Double, to end: Double) {
    let (a, b, length) = (mover.acceleration, mover.braking, length(edge))
    // The speed at which accelerating and braking meet: (v² − start²) / 2a + (v² − end²) / 2b = length.
    let meeting = ((2 * a * b * length + b * start * start + a * end * end) / (a + b)).squareRoot()
    let peak = max(min(limits[edge], meeting), start, end)
    let faster = (peak * peak - start * start) / (2 * a)
    let slower = (peak * peak - end * end) / (2 * b)
    let steady = max(length - faster - slower, 0)
    var metres = course.path.metres[edge]
    if peak - start > SpeedPlan.negligible {
      append(metres: metres, speed: start, acceleration: a)
      seconds += (peak - start) / a
      metres += faster
    }
    if steady > SpeedPlan.negligible {
      append(metres: metres, speed: peak, acceleration: 0)
      seconds += steady / peak
      metres += steady
    }
    if peak - end > SpeedPlan.negligible {
      append(metres: metres, speed: peak, acceleration: -b)
      seconds += (peak - end) / b
    }
  }

  /// Appends a piece, unless it merely continues the last one.
  private mutating func append(metres: Double, speed: Double, acceleration: Double) {
    if let last = pieces.last, acceleration == 0, last.acceleration == 0, last.speed == speed, speed > 0 { return }
    pieces.append(
      MotionPiece(startSeconds: seconds, startMetres: metres, speed: speed, acceleration: acceleration))
  }
}

/// The abilities of a body, in metres and seconds.
package struct Mover: Equatable, Sendable {
  /// Metres per second, independent of streets.
  package var topSpeed: Double
  /// Metres per second squared.
  package var acceleration: Double
  package var braking: Double
  /// Towards the inside of a curve.
  package var lateralAcceleration: Double
  package var obeysLights: Bool
  package var obeysLimits: Bool
  /// The variation of the pace from edge to edge, as a share of the top speed.
  package var unsteadiness: Double

  package init(
    topSpeed: Double, acceleration: Double, braking: Double, lateralAcceleration: Double, obeysLights: Bool,
    obeysLimits: Bool = true, unsteadiness: Double
  ) {
    precondition(topSpeed > 0 && acceleration > 0 && braking > 0 && lateralAcceleration > 0, "a mover can move")
    precondition(unsteadiness >= 0 && unsteadiness < 1, "unsteadiness is 0 ..< 1")
    self.topSpeed = topSpeed
    self.acceleration = acceleration
    self.braking = braking
    self.lateralAcceleration = lateralAcceleration
    self.obeysLights = obeysLights
    self.obeysLimits = obeysLimits
    self.unsteadiness = unsteadiness
  }

  /// Ordinary traffic: 1.4 and 2.0 m/s² are the comfortable values of the intelligent driver model (M. Treiber, A. Hennecke,
  /// D. Helbing, Physical Review E 62, 2000, with the braking of city traffic).
  package static let car = Mover(
    topSpeed: 55, acceleration: 1.4, braking: 2.0, lateralAcceleration: 2.5, obeysLights: true, unsteadiness: 0.1)
  package static let bicycle = Mover(
    topSpeed: 6.5, acceleration: 0.8, braking: 1.5, lateralAcceleration: 2.0, obeysLights: true, unsteadiness: 0.2)
  package static let pedestrian = Mover(
    topSpeed: 1.6, acceleration: 1.0, braking: 1.0, lateralAcceleration: 1.5, obeysLights: false, unsteadiness: 0.3)

  /// Returns the speed for a corner: v = √(a / κ) on the arc that leaves the edges `tangentMetres` before the corner and
  /// joins them as far after it.
  func speed(aroundCornerFrom arriving: Offset, to leaving: Offset) -> Double {
    let tangent = min(0.5 * arriving.length, 0.5 * leaving.length, Mover.tangentMetres)
    let dot = arriving.east * leaving.east + arriving.north * leaving.north
    let cosine = dot / (arriving.length * leaving.length)
    // tan²(θ/2) = (1 − cos θ) / (1 + cos θ); the radius of the arc is tangent / tan(θ/2). A U-turn has none.
    guard cosine > -0.999 else { return 0 }
    guard cosine < 0.999_999 else { return .infinity }
    let radius = tangent * ((1 + cosine) / (1 - cosine)).squareRoot()
    return (lateralAcceleration * radius).squareRoot()
  }

  private static let tangentMetres = 12.0
}

/// The pace of a body from edge to edge, as a share of the possible speed: a first-order Gauss–Markov process, as for
/// pedestrians in T. Camp, J. Boleng, V. Davies, "A survey of mobility models for ad hoc network research", Wireless
/// Communications and Mobile Computing 2 (2002). Each trip of a body has a pace of its own.
struct PaceStream {
  private var stream: RandomStream
  private let trip: UInt64

  private static let memory = 0.85

  init(seed: UInt64, device: UInt64, trip: UInt64) {
    stream = RandomStreamID.pace.stream(seed: seed, device: device, n: trip << 20)
    self.trip = trip
  }

  /// Returns the mover of this body.
  func mover(of transport: Transport) -> Mover { transport.mover(seed: stream.seed, device: stream.device) }

  /// The random stream of stops on this trip.
  var halts: RandomStream { RandomStreamID.halts.stream(seed: stream.seed, device: stream.device, n: trip << 20) }

  /// Returns factors from 1 − 2.5 · unsteadiness, at least a tenth, to 1.
  mutating func factors(count: Int, unsteadiness: Double) -> [Double] {
    guard unsteadiness > 0 else { return Array(repeating: 1, count: count) }
    let rest = (1 - PaceStream.memory * PaceStream.memory).squareRoot()
    var value = stream.normal()
    return (0..<count).map { _ in
      let factor = 1 - unsteadiness * (1 - 0.5 * min(max(value, -3), 2))
      value = PaceStream.memory * value + rest * stream.normal()
      return max(factor, 0.1)
    }
  }
}
