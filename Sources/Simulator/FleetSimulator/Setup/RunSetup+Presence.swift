import Base
import Scenario
import World

/// When the devices of a fleet are there, and which trips they are told to make.
struct FleetSchedule {
  var devices: Int
  var presence: Presence
  var movement: Movement
  var droppedTrips = 0
}

extension RunSetup {
  /// `ground` is where ordered trips lead, `movement` what others do.
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
    let key = { (index: Int) in FleetSetup.key(of: index, in: name) }
    let draws = RandomStream(seed: scenario.seed, device: key(0), concern: FleetConcern.arrivals.rawValue)
    let end = (scenario.clock.duration - fleet.traits.startTime).seconds
    let trips = TripOrders(
      at: arrivals.seconds(before: end, from: draws), start: start, distance: fleet.traits.trip.distance, on: ground,
      devicesMax: devicesMax, seed: scenario.seed, key: key)
    return FleetSchedule(
      devices: trips.orders.count, presence: .each(trips.orders.map { $0.first?.start }),
      movement: .errands(ground, orders: trips.orders), droppedTrips: trips.dropped)
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
