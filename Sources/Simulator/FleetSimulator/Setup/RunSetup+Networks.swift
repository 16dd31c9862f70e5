import Base
import Scenario
import World

extension RunSetup {
  /// The presets and the links that the scenario declares. Networks that change are no links but lead from one to another.
  static func radioTable(of scenario: Scenario) -> RadioTable {
    var table = RadioTable.presets
    for network in scenario.networks {
      if case .link(let link) = network.value { table.declare(RadioLink(network.name, link)) }
    }
    return table
  }

  /// How the network of that name goes on over time. A changing network whose states are changing networks themselves
  /// is refused: nobody could say how long it stays.
  static func radioModel(
    named name: String, of scenario: Scenario, _ table: RadioTable, _ problems: inout [String]
  ) -> RadioModel {
    guard case .changing(let changing)? = scenario.network(named: name) else {
      return .constant(link(named: name, of: table, in: name, &problems))
    }
    var transitions: [RadioModel.Transition] = []
    for state in changing.changes {
      let from = link(named: state.name, of: table, in: name, &problems)
      for change in state.value {
        let next = link(named: change.name, of: table, in: name, &problems)
        guard from != next else {
          problems.append("networks.\(name).markov.\(state.name): a change to itself is none; take it out")
          continue
        }
        transitions.append(RadioModel.Transition(from: from, to: next, meanSeconds: change.value.seconds))
      }
    }
    return RadioModel(start: link(named: changing.start, of: table, in: name, &problems), transitions: transitions)
  }

  private static func link(
    named name: String, of table: RadioTable, in network: String, _ problems: inout [String]
  ) -> RadioNetwork {
    if let link = table.network(named: name) { return link }
    problems.append("networks.\(network): '\(name)' changes itself; name a link that stays as it is")
    return .none
  }
}

extension RadioLink {
  fileprivate init(_ name: String, _ link: Link) {
    let kind: Kind =
      switch link.type {
      case .wifi: .wifi
      case .cellular: .cellular
      case .none: .none
      }
    self.init(
      name: name, kind: kind,
      quality: LinkQuality(
        latency: link.latency.seconds, jitter: link.jitter.seconds, downBitsPerSecond: link.downBitsPerSecond,
        upBitsPerSecond: link.upBitsPerSecond, loss: link.loss))
  }
}
