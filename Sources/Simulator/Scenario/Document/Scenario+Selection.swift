/// Scenarios with fewer or more devices.
extension Scenario {
  /// Returns the scenario with one fleet and what concerns it; nil without such a fleet.
  package func only(fleet name: String) -> Scenario? {
    guard fleets.contains(where: { $0.name == name }) else { return nil }
    var result = self
    result.fleets.removeAll { $0.name != name }
    result.faults.removeAll { $0.selection.fleet != nil && $0.selection.fleet != name }
    for index in result.faults.indices { result.faults[index].occurrences?.removeAll { $0.fleet != name } }
    result.thresholds.removeAll { metric in
      metric.selector.tags.contains { $0.name == "fleet" && $0.value != name }
    }
    return result
  }

  /// Multiplies every number of devices and every rate of trips by a factor. Non-zero numbers stay at least one.
  package func scaled(by factor: Double) -> Scenario {
    precondition(factor > 0 && factor.isFinite, "a scale is a positive number")
    var result = self
    for index in result.fleets.indices {
      result.fleets[index].value.setExecutor(result.fleets[index].value.executor.scaled(by: factor))
    }
    for index in result.faults.indices {
      result.faults[index].selection.count = result.faults[index].selection.count?.scaled(by: factor)
    }
    for fleet in result.fleets {
      let devices = fleet.value.executor.peakDevices
      for index in result.faults.indices {
        result.faults[index].occurrences?.removeAll { $0.fleet == fleet.name && $0.member >= devices }
      }
    }
    return result
  }

  /// Scales the peaks of all fleets to a total number of devices, with at least one for each fleet that has any.
  package func scaled(toDevices count: Int) -> Scenario {
    let peaks = fleets.map(\.value.executor.peakDevices)
    let sum = peaks.reduce(0, +)
    guard sum > 0, count > 0 else { return self }
    var result = scaled(by: Double(count) / Double(sum))
    var before = 0
    for (index, peak) in peaks.enumerated() where peak > 0 {
      // Rounding the running sum instead of each peak makes the total exact.
      let first = (Double(before) * Double(count) / Double(sum)).rounded()
      let last = (Double(before + peak) * Double(count) / Double(sum)).rounded()
      let wanted = max(1, Int(last - first))
      result.fleets[index].value.setExecutor(fleets[index].value.executor.scaled(by: Double(wanted) / Double(peak)))
      before += peak
    }
    return result
  }
}

extension Scenario {
  /// The maximum number of devices at one time.
  package var peakDevices: Int { fleets.reduce(0) { $0 + $1.value.executor.peakDevices } }
}

extension Fleet {
  /// Sets the executor; a smaller one drops the last members.
  fileprivate mutating func setExecutor(_ executor: Executor) {
    self.executor = executor
    traits.members?.removeAll { $0 >= executor.peakDevices }
  }
}

extension Executor {
  /// The maximum number of devices at one time.
  package var peakDevices: Int {
    switch self {
    case .constantDevices(let constant): constant.devices
    case .rampingDevices(let ramp): max(ramp.startDevices, Int(ramp.stages.map(\.target).max() ?? 0))
    case .constantArrivals(let arrivals): arrivals.maxDevices
    case .rampingArrivals(let arrivals): arrivals.maxDevices
    }
  }

  fileprivate func scaled(by factor: Double) -> Executor {
    switch self {
    case .constantDevices(var constant):
      constant.devices = constant.devices.scaled(by: factor)
      return .constantDevices(constant)
    case .rampingDevices(var ramp):
      ramp.startDevices = ramp.startDevices.scaled(by: factor)
      for index in ramp.stages.indices {
        ramp.stages[index].target = Double(Int(ramp.stages[index].target).scaled(by: factor))
      }
      return .rampingDevices(ramp)
    case .constantArrivals(var arrivals):
      arrivals.rate *= factor
      arrivals.maxDevices = arrivals.maxDevices.scaled(by: factor)
      return .constantArrivals(arrivals)
    case .rampingArrivals(var arrivals):
      arrivals.startRate *= factor
      arrivals.maxDevices = arrivals.maxDevices.scaled(by: factor)
      for index in arrivals.stages.indices { arrivals.stages[index].target *= factor }
      return .rampingArrivals(arrivals)
    }
  }
}

extension Int {
  fileprivate func scaled(by factor: Double) -> Int {
    let product = (Double(self) * factor).rounded()
    return self == 0 ? 0 : Swift.max(1, product < 1e15 ? Int(product) : Int.max)
  }
}
