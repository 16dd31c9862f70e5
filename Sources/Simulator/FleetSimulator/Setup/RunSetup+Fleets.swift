import Base
import Scenario
import World

extension RunSetup {
  static func fleet(
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
      configuration: scenario.configuration(of: traits), members: traits.members)
  }
}
