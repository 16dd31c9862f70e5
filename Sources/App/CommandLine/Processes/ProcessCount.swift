import Base
import FleetSimulator
import Network
import Scenario

/// `--processes`: the number of processes of a run. In virtual time it does not affect the results.
enum ProcessCount {
  case automatic
  case fixed(Int)

  /// A smaller run ends before further processes have read its scenario.
  private static let deviceSecondsMin = 2_000_000.0
  private static let devicesMin = 32

  init(_ values: FlagValues) throws(UsageError) {
    guard let value = values.value("processes"), value.text != "auto" else {
      self = .automatic
      return
    }
    guard let count = Int(value.text), (1...1_024).contains(count) else {
      throw UsageError("\(value.origin): '\(value.text)' is neither auto nor a whole number from 1 to 1024")
    }
    for flag in ["shard", "dashboard"] where count > 1 && values.value(flag) != nil {
      throw UsageError("\(value.origin) cannot be used with --\(flag), which is for one process")
    }
    self = .fixed(count)
  }

  /// Returns the number for a run, and the reason if it is one although more were requested.
  func number(
    for setup: RunSetup, _ scenario: Scenario, _ options: SimulationOptions, _ process: ProcessContext
  ) -> (count: Int, reason: String?) {
    let devices = setup.deviceNames.count
    let hindrance = ProcessCount.hindrance(setup, scenario)
    switch self {
    case .fixed(let count):
      guard count > 1, options.shard == nil else { return (1, nil) }
      guard process.ownsSignals else { return (1, "the program is embedded in another one") }
      return hindrance.map { (1, $0) } ?? (max(1, min(count, devices)), nil)
    case .automatic:
      let isLong = Double(devices) * setup.duration.seconds >= ProcessCount.deviceSecondsMin
      guard isLong, setup.outside == nil, devices >= ProcessCount.devicesMin, process.ownsSignals, options.shard == nil,
        options.dashboard == nil, hindrance == nil
      else { return (1, nil) }
      return (min(Processors.count, devices / (ProcessCount.devicesMin / 2)), nil)
    }
  }

  /// Returns the number of seeds that run in parallel.
  func number(ofSeeds seeds: Int, _ process: ProcessContext) -> Int {
    guard process.ownsSignals else { return 1 }
    return switch self {
    case .fixed(let count): min(count, seeds)
    case .automatic: min(Processors.count, seeds)
    }
  }

  /// As above. Runs that must be alone are sequential, and so are long runs, which are divided themselves and would
  /// multiply the memory.
  func number(ofSeeds seeds: Int, _ scenario: Scenario, _ options: SimulationOptions, _ process: ProcessContext) -> Int
  {
    guard scenario.clock.mode == .virtual, options.dashboard == nil, !scenario.outputs.contains(where: \.isLive) else {
      return 1
    }
    let deviceSeconds = Double(scenario.peakDevices) * scenario.clock.duration.seconds
    if case .automatic = self, deviceSeconds >= ProcessCount.deviceSecondsMin { return 1 }
    return number(ofSeeds: seeds, process)
  }

  private static func hindrance(_ setup: RunSetup, _ scenario: Scenario) -> String? {
    if let outside = setup.outside {
      if outside.lockstep != nil { return "in mode lockstep the target sees one request after the other" }
      if outside.isOurs, setup.faults.contains(where: \.action.isServers) {
        return "server faults are rules of the whole target, which processes would delete for each other"
      }
    } else if WholeJudge(scenario).isNeeded {
      return "a threshold ends the run, and judges all devices"
    }
    if scenario.outputs.contains(where: \.isLive) { return "an output sends figures while the run goes on" }
    return nil
  }
}

extension Output {
  /// Whether it reports on the whole run continuously.
  fileprivate var isLive: Bool {
    switch self {
    case .prometheus, .openTelemetry, .remoteWrite, .histogramLog: true
    case .console, .summary, .junit, .html, .events, .timeline, .deviceLogs: false
    }
  }
}
