package import Base
import Scenario
import World

/// When the devices of a fleet are present. Before its first presence the app is not installed. At the end of a presence the
/// user stops at the current place; the app uploads its queue and stops the SDK, which it starts again at the next presence.
package enum Presence: Equatable, Sendable {
  /// All devices, from an instant on.
  case from(MonotonicInstant)
  /// As many as a curve says; the last to arrive leaves first.
  case ramp(Ramp)
  /// Each device from its own instant on; nil: never.
  case each([MonotonicInstant?])

  /// Returns the first presence of the device with this index.
  func first(of index: Int) -> MonotonicInstant? {
    switch self {
    case .from(let instant): instant
    case .each(let instants): instants.indices.contains(index) ? instants[index] : nil
    case .ramp(let ramp): ramp.isPresent(index, at: ramp.start) ? ramp.start : ramp.change(of: index, after: ramp.start)
    }
  }

  /// Returns the next time at which a present device leaves, or one that has left returns.
  func change(of index: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    switch self {
    case .from, .each: nil
    case .ramp(let ramp): ramp.change(of: index, after: instant)
    }
  }
}

/// A number of devices over time, in lines and jumps.
package struct Ramp: Equatable, Sendable {
  /// From one number to another in `seconds`; 0: a jump.
  package struct Line: Equatable, Sendable {
    package let seconds: Double
    package let first: Double
    package let last: Double

    package init(seconds: Double, first: Double, last: Double) {
      (self.seconds, self.first, self.last) = (seconds, first, last)
    }
  }

  package let start: MonotonicInstant
  /// The last number remains.
  package let lines: [Line]
  /// The changes by acts, in order of time.
  var turns: [Turn] = []

  package init(start: MonotonicInstant, lines: [Line]) { (self.start, self.lines) = (start, lines) }

  /// Reports whether a device is present; the number of present devices is the rounded number of the curve.
  func isPresent(_ index: Int, at instant: MonotonicInstant) -> Bool { value(at: instant) >= Double(index) + 0.5 }

  func value(at instant: MonotonicInstant) -> Double {
    guard let turn = turns.last(where: { $0.instant <= instant }) else {
      return value(after: (instant - start).seconds)
    }
    return instant < start ? 0 : turn.factor * value(after: (instant - start).seconds) + turn.shift
  }

  private func value(after seconds: Double) -> Double {
    var rest = seconds
    for line in lines {
      if rest < line.seconds { return line.first + (line.last - line.first) * rest / line.seconds }
      rest -= line.seconds
    }
    return lines.last?.last ?? 0
  }

  /// Returns the next instant at which the device's presence changes.
  func change(of index: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    let wasPresent = isPresent(index, at: instant)
    var (turn, begin) = (turns.last { $0.instant <= instant }, instant)
    for next in turns where next.instant > instant {
      if let found = change(of: index, after: begin, wasPresent, under: turn), found < next.instant { return found }
      if isPresent(index, at: next.instant) != wasPresent { return next.instant }
      (turn, begin) = (next, next.instant)
    }
    return change(of: index, after: begin, wasPresent, under: turn)
  }

  /// Returns the next change while `turn` is the last one in effect.
  private func change(
    of index: Int, after instant: MonotonicInstant, _ wasPresent: Bool, under turn: Turn?
  ) -> MonotonicInstant? {
    var mark = Double(index) + 0.5
    if let turn {
      guard turn.factor > 0 else { return nil }
      mark = (mark - turn.shift) / turn.factor
    }
    let now = (instant - start).seconds
    var begin = 0.0
    for line in lines {
      let end = begin + line.seconds
      defer { begin = end }
      guard end >= now else { continue }
      // Within the line, and at its end, where the next one may begin at another number.
      var candidates: [Double] = []
      if line.first != line.last, line.seconds > 0 {
        candidates.append(begin + (mark - line.first) / (line.last - line.first) * line.seconds)
      }
      candidates.append(end)
      for candidate in candidates where candidate >= begin && candidate <= end {
        let found = max(
          MonotonicInstant(secondsRoundedUp: start.seconds + candidate), instant + .milliseconds(1))
        // On a falling line the number is below the mark only after this instant.
        for found in [found, found + .milliseconds(1)] where isPresent(index, at: found) != wasPresent {
          return found
        }
      }
    }
    return nil
  }
}

/// When the devices of a fleet are present, and which trips they are ordered to make.
struct FleetSchedule {
  var devices: Int
  var presence: Presence
  var movement: Movement
  var droppedTrips = 0
  /// Nil for executors without trips.
  var trips: TripPlan?
}

extension RunSetup {
  /// Returns the schedule of a fleet. `ground` is the ground of ordered trips, `movement` that of other executors.
  static func schedule(
    _ name: String, _ fleet: Fleet, on ground: Ground, _ movement: Movement, of scenario: Scenario
  ) -> FleetSchedule {
    let start = MonotonicInstant(nanoseconds: 0) + fleet.traits.startTime
    switch fleet.executor {
    case .constantDevices(let constant):
      return FleetSchedule(devices: constant.devices, presence: .from(start), movement: movement)
    case .rampingDevices(let ramp):
      let lines = lines(from: Double(ramp.startDevices), ramp.stages, isStepped: ramp.shape == .heaviside)
      return FleetSchedule(
        devices: fleet.executor.peakDevices, presence: .ramp(Ramp(start: start, lines: lines)), movement: movement)
    case .constantArrivals(let arrivals):
      let rate = arrivals.rate / arrivals.timeUnit.atLeastAMillisecond
      return schedule(
        name, fleet,
        Arrivals(
          lines: [Ramp.Line(seconds: .infinity, first: rate, last: rate)], isPoisson: arrivals.arrivals == .poisson),
        from: start, devicesMax: arrivals.maxDevices, on: ground, of: scenario)
    case .rampingArrivals(let arrivals):
      let unit = arrivals.timeUnit.atLeastAMillisecond
      let lines = lines(from: arrivals.startRate, arrivals.stages, isStepped: false).map {
        Ramp.Line(seconds: $0.seconds, first: $0.first / unit, last: $0.last / unit)
      }
      return schedule(
        name, fleet, Arrivals(lines: lines, isPoisson: arrivals.arrivals == .poisson), from: start,
        devicesMax: arrivals.maxDevices, on: ground, of: scenario)
    }
  }

  private static func schedule(
    _ name: String, _ fleet: Fleet, _ arrivals: Arrivals, from start: MonotonicInstant, devicesMax: Int,
    on ground: Ground, of scenario: Scenario
  ) -> FleetSchedule {
    let trips = TripPlan(
      fleet: name, arrivals: arrivals, start: start,
      seconds: (scenario.clock.duration - fleet.traits.startTime).seconds,
      distance: fleet.traits.trip.distance, ground: ground, devicesMax: devicesMax, seed: scenario.seed)
    let assignment = trips.assignment
    return FleetSchedule(
      devices: assignment.trips.count, presence: .each(assignment.trips.map { $0.first?.start }),
      movement: .scheduled(ground, trips: assignment.trips), droppedTrips: assignment.dropped, trips: trips)
  }

  private static func lines(from first: Double, _ stages: [Stage], isStepped: Bool) -> [Ramp.Line] {
    var value = first
    return stages.map { stage in
      defer { value = stage.target }
      return Ramp.Line(
        seconds: stage.duration.seconds, first: value, last: isStepped ? value : stage.target)
    } + [Ramp.Line(seconds: 0, first: value, last: value)]
  }
}

extension Nanoseconds {
  fileprivate var atLeastAMillisecond: Double { max(seconds, 1e-3) }
}

/// The starts of trips: a rate over time, in lines, and their distribution.
struct Arrivals {
  /// Trips per second.
  var lines: [Ramp.Line]
  let isPoisson: Bool

  /// Returns the start times in seconds, in order, before `end`; the last rate remains. Each line has exactly as many
  /// as its rate says, rounded. Random ones are distributed like a Poisson process with that number of events:
  /// uniform draws, sorted.
  func seconds(before end: Double, from stream: RandomStream) -> [Double] {
    var stream = stream
    var result: [Double] = []
    var (begin, expected) = (0.0, 0.0)
    var rest = lines
    rest.append(Ramp.Line(seconds: end, first: lines.last?.last ?? 0, last: lines.last?.last ?? 0))
    for line in rest where begin < end && line.seconds > 0 {
      let length = min(line.seconds, end - begin)
      let last = line.first + (line.last - line.first) * length / line.seconds
      let sum = 0.5 * (line.first + last) * length
      let count = Int((expected + sum).rounded()) - Int(expected.rounded())
      let fractions =
        isPoisson
        ? (0..<count).map { _ in stream.uniform() }.sorted() : (0..<count).map { (Double($0) + 0.5) / Double(count) }
      for fraction in fractions {
        result.append(begin + Arrivals.time(of: fraction * sum, first: line.first, last: last, length))
      }
      expected += sum
      begin += length
    }
    return result
  }

  /// Returns the time after which `count` trips have started, at a rate from `first` to `last`: solves first t + (last −
  /// first) t² / 2 length = count.
  private static func time(of count: Double, first: Double, last: Double, _ length: Double) -> Double {
    let slope = (last - first) / length
    let root = max(first * first + 2 * slope * count, 0).squareRoot()
    // This form of the solution avoids cancellation and is defined for a constant rate.
    return first + root > 0 ? min(2 * count / (first + root), length) : 0
  }
}

/// The assignment of trips to devices: each goes to the first free device of the fleet. It depends on the trips only, so it
/// is the same whichever devices a process simulates.
struct TripAssignment {
  /// The trips of each device.
  private(set) var trips: [[ScheduledTrips.PlannedTrip]] = []
  /// The number of trips that found no free device.
  private(set) var dropped = 0
  /// The position of each device after its last trip.
  private var busyTrips: [Int: ScheduledTrips] = [:]

  /// `key` returns the key of a device's random streams. No trip starts after `last`.
  init(
    at seconds: [Double], start: MonotonicInstant, last: MonotonicInstant, distance: Distribution, on ground: Ground,
    devicesMax: Int,
    seed: UInt64, key: (Int) -> UInt64
  ) {
    var free = MinHeap<Int>()
    var busy = MinHeap<Busy>()
    for (number, second) in seconds.enumerated() {
      let instant = MonotonicInstant(secondsRoundedUp: start.seconds + second)
      while let first = busy.first, first.end <= instant { free.insert(busy.removeFirst().device) }
      let device: Int
      if free.first != nil {
        device = free.removeFirst()
      } else if trips.count < devicesMax {
        device = trips.count
        trips.append([])
      } else {
        dropped += 1
        continue
      }
      var draws = RandomStream(
        seed: seed, device: key(0), concern: FleetStreamID.tripDistance.rawValue, n: UInt64(number) << 2)
      let trip = ScheduledTrips.PlannedTrip(start: instant, number: UInt64(number), metres: distance.draw(from: &draws))
      trips[device].append(trip)
      var scheduled =
        busyTrips[device]
        ?? ScheduledTrips(
          on: ground, trips: [trip], seed: seed, device: key(device), index: device)
      let end = scheduled.end(of: trip, at: instant, until: last)
      busyTrips[device] = scheduled
      busy.insert(Busy(end: end, device: device))
    }
    busyTrips = [:]
  }

  private struct Busy: Comparable {
    let end: MonotonicInstant
    let device: Int

    static func < (left: Busy, right: Busy) -> Bool { (left.end, left.device) < (right.end, right.device) }
  }
}

/// A heap with the smallest element first.
struct MinHeap<Element: Comparable>: QuaternaryHeap {
  var heap: [Element] = []

  var first: Element? { heap.first }

  mutating func put(_ element: Element, at place: Int) { heap[place] = element }

  mutating func removeFirst() -> Element {
    defer { removeKey(at: 0) }
    return heap[0]
  }
}
