import Base
import Scenario

/// Collects what must not have happened, and who it happened to.
final class Violations {
  /// The first victims of each invariant; the counts are of all.
  private(set) var victims: [Victim] = []
  /// What is to be told and breaks no invariant.
  private(set) var remarks: [Victim] = []
  private var counts: [Invariant: Int] = [:]
  private let checked: Set<Invariant>
  private let names: [String]

  private static let victimsMax = 32
  private static let victimsPerInvariantMax = 8

  init(checked: [Invariant], names: [String]) {
    self.checked = Set(checked)
    self.names = names
  }

  func isChecked(_ invariant: Invariant) -> Bool { checked.contains(invariant) }
  func count(of invariant: Invariant) -> Int { counts[invariant, default: 0] }

  /// `device` is nil when it is none that the run has; `what` is a sentence.
  func blame(
    _ invariant: Invariant, _ device: Int?, _ uuid: UUID128? = nil, at instant: MonotonicInstant,
    _ what: @autoclosure () -> String, story: @autoclosure () -> [String] = []
  ) {
    guard checked.contains(invariant) else { return }
    let count = counts[invariant, default: 0] + 1
    counts[invariant] = count
    guard count <= Violations.victimsPerInvariantMax, victims.count < Violations.victimsMax else { return }
    victims.append(
      Victim(
        device: device.map { names[$0] } ?? "(none of the run)", uuid: uuid, rule: invariant, instant: instant,
        what: what(), story: story()))
  }

  /// A record whose device lost it by the SDK's own rules.
  func remark(_ device: Int, _ uuid: UUID128, at instant: MonotonicInstant, _ what: String) {
    guard remarks.count < Violations.victimsMax else { return }
    remarks.append(
      Victim(device: names[device], uuid: uuid, rule: .ackedIsDurable, instant: instant, what: what, story: []))
  }

  /// Of all invariants, in their order; `unseen` gives the reason for which one could not be judged.
  func outcomes(unseen: (Invariant) -> String?) -> [InvariantOutcome] {
    Invariant.allCases.map { invariant in
      let count = count(of: invariant)
      let verdict: InvariantOutcome.Verdict =
        if !checked.contains(invariant) {
          .notJudged("disabled in the scenario")
        } else if count > 0 {
          .violated(count: count)
        } else if let reason = unseen(invariant) {
          .notJudged(reason)
        } else {
          .held
        }
      return InvariantOutcome(invariant: invariant, verdict: verdict)
    }
  }
}
