import Scenario
import World

extension RunSetup {
  /// What of a fault cannot be simulated yet.
  static func judge(_ fault: Fault, of scenario: Scenario, _ problems: inout [String]) {
    let place = "fault '\(fault.name)'"
    switch fault.action {
    case .network(let name):
      if RadioNetwork(name: name) == nil || scenario.networks.contains(where: { $0.name == name }) {
        problems.append("\(place): the network '\(name)' cannot be simulated yet; wifi, lte, hsdpa, edge and none can")
      }
    case .toxic, .http, .authorization, .remote: problems.append("\(place): cannot be simulated yet")
    case .storage, .device, .lifecycle: break
    }
  }
}
