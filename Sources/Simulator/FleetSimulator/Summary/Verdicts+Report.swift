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
    self.init(name: outcome.invariant.rawValue, outcome: .held, exercised: outcome.exercised)
    switch outcome.verdict {
    case .held: break
    case .violated(let count): (self.outcome, violations) = (.violated, count)
    case .notExercised(let reason): (self.outcome, self.reason) = (.notExercised, reason)
    case .notJudged(let reason): (self.outcome, self.reason) = (.notJudged, reason)
    }
  }
}
