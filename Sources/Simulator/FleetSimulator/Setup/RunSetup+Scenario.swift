import Base
import Contract
package import Scenario
import World

extension RunSetup {
  /// What a scenario comes to in virtual time. Throws a sentence for each thing in it that cannot be simulated yet.
  package init(_ scenario: Scenario) throws(UnsupportedScenario) {
    var problems: [String] = []
    if scenario.clock.mode != .virtual {
      let mode = scenario.clock.mode.rawValue
      problems.append("clock.mode \(mode): this version runs in virtual time only; use --mode virtual")
    }
    var fleets: [FleetSetup] = []
    for fleet in scenario.fleets {
      if let setup = RunSetup.fleet(fleet.name, fleet.value, of: scenario, &problems) { fleets.append(setup) }
    }
    for fault in scenario.faults { RunSetup.add(fault, of: scenario, to: &fleets, &problems) }
    if scenario.fleets.contains(where: { $0.value.traits.geofences != nil }) {
      problems.append("geofences: cannot be simulated yet")
    }
    guard problems.isEmpty else { throw UnsupportedScenario(problems: problems) }
    self.init(
      seed: scenario.seed, start: scenario.clock.start, duration: scenario.clock.duration,
      settle: scenario.clock.settle, fleets: fleets)
  }

  private static func fleet(
    _ name: String, _ fleet: Fleet, of scenario: Scenario, _ problems: inout [String]
  ) -> FleetSetup? {
    let place = "fleets.\(name)"
    guard case .constantDevices(let executor) = fleet.executor else {
      problems.append("\(place): only the executor constant-devices can be simulated yet")
      return nil
    }
    let traits = fleet.traits
    if traits.startTime != .zero { problems.append("\(place).startTime: cannot be simulated yet") }
    guard let network = RadioNetwork(name: traits.network) else {
      problems.append(
        "\(place).network: '\(traits.network)' cannot be simulated yet; wifi, lte, hsdpa, edge and none can")
      return nil
    }
    let transports: KeyValuePairs<String, Transport> = ["driving": .car, "walking": .foot, "cycling": .bicycle]
    guard let transport = transports.first(where: { $0.key == traits.motion })?.value else {
      problems.append("\(place).motion: '\(traits.motion)' cannot be simulated yet; driving, walking and cycling can")
      return nil
    }
    for network in scenario.networks where network.name == traits.network {
      problems.append("networks.\(network.name): declared networks cannot be simulated yet, only the presets")
    }
    for motion in scenario.motions where motion.name == traits.motion {
      problems.append("motion.\(motion.name): declared motion cannot be simulated yet, only the presets")
    }
    let hours = traits.lifecycle
    if hours.terminate.relaunchAfter != Lifecycle().terminate.relaunchAfter {
      problems.append("\(place).lifecycle.terminate.relaunchAfter: only 10 s to 10 m can be simulated yet")
    }
    return FleetSetup(
      name: name, devices: executor.devices, movement: movement(of: traits, transport, in: scenario, place, &problems),
      radio: .constant(network),
      habits: HabitRates(killsPerHour: hours.terminate.perHour, rebootsPerHour: hours.reboot.perHour),
      configuration: scenario.configuration(of: traits))
  }

  private static func movement(
    of traits: FleetTraits, _ transport: Transport, in scenario: Scenario, _ place: String, _ problems: inout [String]
  ) -> Movement {
    guard let name = traits.routes else { return .shuttle(transport) }
    if case .city(let city)? = scenario.routes.first(where: { $0.name == name })?.value,
      case .plan(let plan) = city.trips
    {
      switch plan {
      case .commuter: return .plan(.commuter)
      case .courier: return .plan(.courier)
      case .walker: return .plan(.walker)
      case .cyclist: return .plan(.cyclist)
      case .nightShift: return .plan(.nightShift)
      case .parked: return .plan(.parkedCar)
      }
    }
    problems.append("\(place).routes: only a grid-city with trips by plan can be simulated yet")
    return .shuttle(transport)
  }

  private static func add(
    _ fault: Fault, of scenario: Scenario, to fleets: inout [FleetSetup], _ problems: inout [String]
  ) {
    guard case .network("none") = fault.action, let start = fault.start, fault.selection.fraction == nil,
      fault.selection.count == nil, fault.duration > .zero
    else {
      problems.append("fault '\(fault.name)': only network \"none\" at a time, by fleet or place, can be simulated yet")
      return
    }
    let instant = MonotonicInstant(nanoseconds: 0) + start
    let blackout = Blackout(area: fault.selection.place, start: instant, end: instant + fault.duration)
    for index in fleets.indices where fault.selection.fleet.map({ $0 == fleets[index].name }) ?? true {
      fleets[index].blackouts.append(blackout)
      fleets[index].blackouts.sort { $0.start < $1.start }
    }
  }
}

/// What a scenario asks for and this version cannot simulate.
package struct UnsupportedScenario: Error, Equatable, Sendable {
  /// One sentence each.
  package let problems: [String]
}

extension RadioNetwork {
  fileprivate init?(name: String) {
    switch name {
    case "wifi": self = .wifi
    case "lte": self = .lte
    case "hsdpa": self = .hsdpa
    case "edge": self = .edge
    case "none": self = .none
    default: return nil
    }
  }
}
