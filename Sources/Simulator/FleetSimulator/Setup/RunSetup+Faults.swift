import Base
import Scenario

extension RunSetup {
  static func add(
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
