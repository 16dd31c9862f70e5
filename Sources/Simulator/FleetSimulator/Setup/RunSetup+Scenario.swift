package import Scenario

extension RunSetup {
  /// What a scenario comes to. Throws a sentence for each thing in it that cannot be simulated yet.
  package init(_ scenario: Scenario, files: RouteFiles = .none) throws(UnsupportedScenario) {
    var problems: [String] = []
    let radio = RunSetup.radioTable(of: scenario)
    var movements = MovementBuilder(scenario, files)
    var fleets: [FleetSetup] = []
    for fleet in scenario.fleets {
      if let setup = RunSetup.fleet(fleet.name, fleet.value, of: scenario, radio, &movements, &problems) {
        fleets.append(setup)
      }
    }
    for fault in scenario.faults { RunSetup.judge(fault, of: scenario, &problems) }
    if scenario.clock.mode == .virtual { RunSetup.judge(scenario.target, &problems) }
    let outside = RunSetup.outside(scenario, fleets, &problems)
    guard problems.isEmpty else { throw UnsupportedScenario(problems: problems) }
    self.init(
      seed: scenario.seed, start: scenario.clock.start, duration: scenario.clock.duration,
      settle: scenario.clock.settle, radio: radio, fleets: fleets, faults: scenario.faults)
    zoneOffsetSeconds = scenario.clock.zoneOffsetSeconds
    zoneChanges = scenario.clock.zoneChanges.map { ($0.instant, $0.offsetSeconds) }.sorted { $0.0 < $1.0 }
    invariants = scenario.invariants.checked
    if scenario.invariants.onViolation != .proceed { endingInvariants = Set(invariants) }
    keepAlive = scenario.target.connections.keepAlive
    if scenario.target.authorization.strategy == .jwt { authorization = scenario.target.authorization }
    self.outside = outside
    insideHeaders = scenario.target.headers
  }
}
