import Base
import Contract
import Engine
import Sensing
import World

/// A circle that a phone monitors: when its body truly crosses the rim, and when the phone detects the crossing (SDK §15.3).
struct CircleWatch {
  /// Nil for the region around the fences.
  let identifier: String?
  let circle: Circle
  /// Judged by the true position. A device counts as outside only beyond the margin within which no phone can decide.
  private(set) var isInside: Bool
  private var test: CrossingTest
  private var crossing: MonotonicInstant?
  private var tick: MonotonicInstant?

  /// The crossings at one instant.
  struct Crossings {
    /// Whether the body has truly entered, or left beyond the margin; nil without a crossing.
    var crossed: Bool?
    /// Whether the phone has detected an entry or an exit; nil without one.
    var noticed: Bool?
  }

  /// Starts on the side that the app knows of. If the body is on the other side, the first test finds it there (SDK §15.4).
  /// Nil: the side of the body.
  init(
    _ identifier: String?, _ circle: Circle, wasInside: Bool? = nil, _ body: Body, at instant: MonotonicInstant
  ) {
    self.identifier = identifier
    self.circle = circle
    let margin = wasInside == true ? NetworkPosition.accuracyMetres : 0
    isInside = circle.center.distanceMetres(to: body.position(at: instant)) <= circle.radiusMetres + margin
    test = CrossingTest(isInside: wasInside ?? isInside)
    solve(body, after: instant)
    // The system detects at once that the body is inside, before it can leave.
    if isInside && test.isInside == false { tick = instant + .milliseconds(1) }
  }

  var next: MonotonicInstant? {
    guard let crossing, let tick else { return crossing ?? tick }
    return min(crossing, tick)
  }

  /// Computes the next crossing. A body at rest has none and needs no further test.
  mutating func solve(_ body: Body, after instant: MonotonicInstant) {
    crossing = nextCrossing(of: body, after: instant)
    if test.isInside == isInside {
      tick = nil
    } else if tick == nil {
      tick = CircleWatch.tick(after: instant)
    }
  }

  /// Resumes after a time without tests; a rim that was crossed meanwhile is crossed now.
  mutating func resume(_ body: Body, at instant: MonotonicInstant) { follow(body, at: instant, doubtMetres: 0) }

  /// Follows a new episode of the body, which may begin elsewhere: at the start of a recorded route.
  mutating func follow(_ body: Body, at instant: MonotonicInstant) {
    // Crossings are calculated in a plane; this is its deviation from the earth's surface at the rim.
    follow(body, at: instant, doubtMetres: max(0.5, 0.001 * circle.radiusMetres))
  }

  private mutating func follow(_ body: Body, at instant: MonotonicInstant, doubtMetres: Double) {
    solve(body, after: instant)
    let margin = isInside ? NetworkPosition.accuracyMetres : 0
    let beyond = circle.center.distanceMetres(to: body.position(at: instant)) - circle.radiusMetres - margin
    if isInside ? beyond > doubtMetres : beyond <= -doubtMetres { crossing = instant + .milliseconds(1) }
  }

  mutating func advance(to instant: MonotonicInstant, _ body: Body) -> Crossings {
    var crossings = Crossings()
    if let due = crossing, due <= instant {
      isInside.toggle()
      crossings.crossed = isInside
      crossing = nextCrossing(of: body, after: instant)
      if tick == nil { tick = CircleWatch.tick(after: instant) }
    }
    if let due = tick, due <= instant {
      tick = nil
      switch test.test(
        body.position(at: instant), accuracyMetres: NetworkPosition.accuracyMetres, against: circle)
      {
      case .enter: crossings.noticed = true
      case .exit: crossings.noticed = false
      case .dwell, nil: break
      }
      if test.isInside != isInside { tick = instant + CrossingTest.tick }
    }
    return crossings
  }

  private func nextCrossing(of body: Body, after instant: MonotonicInstant) -> MonotonicInstant? {
    let margin = isInside ? NetworkPosition.accuracyMetres : 0
    return body.nextCrossing(distanceMetres: circle.radiusMetres + margin, from: circle.center, after: instant)
  }

  /// Returns the next multiple of five seconds, at which positions are compared with the circles.
  private static func tick(after instant: MonotonicInstant) -> MonotonicInstant {
    let step = CrossingTest.tick.count
    return MonotonicInstant(nanoseconds: (instant.nanoseconds / step + 1) * step)
  }
}
