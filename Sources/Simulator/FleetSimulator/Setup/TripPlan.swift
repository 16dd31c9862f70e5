import Base
import Scenario
import World

/// The inputs of a fleet's trips: the same in every process that simulates a part of it, and in every run with the same rate
/// changes at the same instants.
struct TripPlan: Sendable {
  /// A factor on the number of trips from an instant on.
  struct RateChange: Sendable {
    let instant: MonotonicInstant
    let factor: Double
  }

  let fleet: String
  let arrivals: Arrivals
  let start: MonotonicInstant
  /// The duration of the drives.
  let seconds: Double
  let distance: Distribution
  let ground: Ground
  let devicesMax: Int
  let seed: UInt64
  private var changes: [RateChange] = []

  init(
    fleet: String, arrivals: Arrivals, start: MonotonicInstant, seconds: Double, distance: Distribution,
    ground: Ground, devicesMax: Int, seed: UInt64
  ) {
    (self.fleet, self.arrivals, self.start, self.seconds) = (fleet, arrivals, start, seconds)
    (self.distance, self.ground, self.devicesMax, self.seed) = (distance, ground, devicesMax, seed)
  }

  func changed(by factor: Double, at instant: MonotonicInstant) -> TripPlan {
    var plan = self
    plan.changes.append(RateChange(instant: instant, factor: (changes.last?.factor ?? 1) * factor))
    return plan
  }

  /// Trips that begin before a change are not affected by it; later ones have draws of their own.
  var assignment: TripAssignment {
    let key = { (index: Int) in FleetSetup.key(of: index, in: fleet) }
    func draws(_ number: Int) -> RandomStream {
      RandomStream(
        seed: seed, device: key(0), concern: FleetStreamID.arrivals.rawValue, n: UInt64(number) << 40)
    }
    var all = arrivals.seconds(before: seconds, from: draws(0))
    for (number, change) in changes.enumerated() {
      let isBefore = { (second: Double) in
        MonotonicInstant(secondsRoundedUp: start.seconds + second) < change.instant
      }
      let offset = max(0, (change.instant - start).seconds)
      let more = arrivals.scaled(by: change.factor, from: offset).seconds(
        before: seconds - offset, from: draws(number + 1))
      all = all.filter(isBefore) + more.map { offset + $0 }.filter { !isBefore($0) }
    }
    return TripAssignment(
      at: all, start: start, last: MonotonicInstant(secondsRoundedUp: start.seconds + seconds), distance: distance,
      on: ground, devicesMax: devicesMax, seed: seed, key: key)
  }
}

extension Arrivals {
  /// Returns the rest of the lines, at another rate.
  func scaled(by factor: Double, from offset: Double) -> Arrivals {
    var (rest, result) = (offset, [Ramp.Line]())
    for line in lines {
      guard rest < line.seconds else {
        rest -= line.seconds
        continue
      }
      let first = line.seconds.isFinite ? line.first + (line.last - line.first) * rest / line.seconds : line.first
      result.append(Ramp.Line(seconds: line.seconds - rest, first: factor * first, last: factor * line.last))
      rest = 0
    }
    let last = factor * (lines.last?.last ?? 0)
    var arrivals = self
    arrivals.lines = result + [Ramp.Line(seconds: 0, first: last, last: last)]
    return arrivals
  }
}
