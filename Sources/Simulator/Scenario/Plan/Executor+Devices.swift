import Base

extension Executor {
  /// How many devices there are so many seconds after the fleet began, when a trip takes `tripSeconds`. Fractions are
  /// kept: this is what one expects, and not what a seed gives.
  func devices(at seconds: Double, tripSeconds: Double) -> Double {
    switch self {
    case .constantDevices(let constant): Double(constant.devices)
    case .rampingDevices(let ramp):
      Executor.value(at: seconds, from: Double(ramp.startDevices), ramp.stages, ramp.shape)
    case .constantArrivals(let arrivals):
      min(
        Double(arrivals.maxDevices),
        arrivals.rate / arrivals.timeUnit.atLeastOneMillisecond * min(tripSeconds, seconds))
    case .rampingArrivals(let arrivals):
      // Little's law: those who are on the way came during the last trip's time.
      min(
        Double(arrivals.maxDevices),
        Executor.value(
          at: max(0, seconds - min(tripSeconds, seconds) / 2), from: arrivals.startRate, arrivals.stages, .linear)
          / arrivals.timeUnit.atLeastOneMillisecond * min(tripSeconds, seconds))
    }
  }

  /// Whether a device exists only while it is on the way.
  var startsTrips: Bool {
    switch self {
    case .constantDevices, .rampingDevices: false
    case .constantArrivals, .rampingArrivals: true
    }
  }

  private static func value(at seconds: Double, from start: Double, _ stages: [Stage], _ shape: StageShape) -> Double {
    var value = start
    var rest = seconds
    for stage in stages {
      let length = stage.duration.seconds
      if rest < length {
        return shape == .heaviside ? value : value + (stage.target - value) * rest / length
      }
      rest -= length
      value = stage.target
    }
    return value
  }
}

extension Nanoseconds {
  fileprivate var atLeastOneMillisecond: Double { max(seconds, 1e-3) }
}
