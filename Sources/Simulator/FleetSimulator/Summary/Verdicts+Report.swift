import Base
import Scenario

extension ViolationStory {
  init(_ victim: Victim) {
    self.init(
      invariant: victim.rule.rawValue, device: victim.device, uuid: victim.uuid?.text,
      story: ["\(victim.instant.clockText) \(victim.what)"] + victim.story)
  }
}

extension InvariantVerdict {
  init(_ outcome: InvariantOutcome) {
    let name = outcome.invariant.rawValue
    switch outcome.verdict {
    case .held: self.init(name: name, outcome: .held)
    case .violated(let count): self.init(name: name, outcome: .violated, violations: count)
    case .notJudged(let reason): self.init(name: name, outcome: .notJudged, reason: reason)
    }
  }
}
