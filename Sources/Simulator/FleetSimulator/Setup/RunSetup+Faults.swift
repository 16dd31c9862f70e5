import Scenario

extension RunSetup {
  /// What of a fault cannot be simulated yet.
  static func judge(_ fault: Fault, of scenario: Scenario, _ problems: inout [String]) {
    let place = "fault '\(fault.name)'"
    switch fault.action {
    case .network(let name):
      if case .changing? = scenario.network(named: name) {
        problems.append("\(place): the network '\(name)' changes itself; name one that stays as it is")
      }
    case .toxic, .http, .authorization, .remote: problems.append("\(place): cannot be simulated yet")
    case .storage, .device, .lifecycle: break
    }
  }
}
