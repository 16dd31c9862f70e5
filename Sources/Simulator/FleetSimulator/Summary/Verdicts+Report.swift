import Base
import Scenario

extension ViolationStory {
  init(_ victim: Victim) {
    let uuid = victim.uuid?.lowerCaseText
    self.init(
      invariant: victim.rule.invariant.rawValue, device: victim.device, uuid: uuid,
      story: [victim.rule.rawValue] + victim.story)
  }
}

extension InvariantVerdict {
  /// Those that the book of records can judge, against what it found; the others are not judged.
  static func all(of selection: InvariantSelection, _ report: RunReport) -> [InvariantVerdict] {
    Invariant.allCases.map { invariant in
      guard selection.checked.contains(invariant) else {
        return InvariantVerdict(name: invariant.rawValue, outcome: .notJudged, reason: "disabled")
      }
      guard let rule = Victim.Rule.allCases.first(where: { $0.invariant == invariant }) else {
        return InvariantVerdict(name: invariant.rawValue, outcome: .notJudged, reason: "not observed by this version")
      }
      let count = report.victims.count { $0.rule == rule }
      return InvariantVerdict(name: invariant.rawValue, outcome: count > 0 ? .violated : .held, violations: count)
    }
  }
}

extension Victim.Rule {
  /// What the scenario calls it.
  var invariant: Invariant {
    switch self {
    case .acknowledgedIsStored: .ackedIsDurable
    case .noDeletionBeforeAnswer: .noDeleteBeforeAck
    case .conservation: .conservation
    case .storedOnce: .noPhantom
    case .drained: .drain
    }
  }
}
