import Base
package import FleetSimulator

/// Where two runs of one seed part, or that they do not.
package struct DifferenceText {
  private let difference: DeterminismCheck.Difference?
  private let names: [String]

  /// `names` are those of the run's devices, in order.
  package init(_ difference: DeterminismCheck.Difference?, names: [String]) {
    self.difference = difference
    self.names = names
  }

  package var text: String {
    guard let difference else { return "the second run was the same" }
    guard let number = (difference.first ?? difference.second)?.number else {
      return "two runs of this seed have the same events, and came to something else: a rule or a sum differs"
    }
    var rows = [("first", difference.first), ("second", difference.second)].map { name, event in
      event.map { cells($0, name) } ?? [name, "is over"]
    }
    if let common = difference.common { rows.insert(cells(common, "both"), at: 0) }
    let lines = Columns.text(rows, firstIsLeft: true, allLeft: true).map { "  " + $0 }
    return (["two runs of this seed part at event \(number):"] + lines + hint).joined(separator: "\n")
  }

  private func cells(_ event: TraceEvent, _ name: String) -> [String] {
    let content = String(event.content, radix: 16)
    return [name, event.instant.clockText, names[event.device], "\(event.kind)", "content \(content)"]
  }

  private var hint: [String] {
    guard let first = difference?.first, let second = difference?.second else { return [] }
    guard first.device == second.device, first.kind == second.kind else { return [] }
    return ["  the same event, " + (first.instant == second.instant ? "with other content" : "at another time")]
  }
}
