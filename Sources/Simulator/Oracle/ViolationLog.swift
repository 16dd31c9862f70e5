package import Base
package import Scenario

/// Collects violations of invariants, with their devices and records.
package final class ViolationLog {
  /// The earliest violations of each invariant, in order of detection; the counts include all.
  package private(set) var violations: [Violation] = []
  /// Observations that break no invariant and are reported.
  package private(set) var remarks: [Violation] = []
  private var counts: [Invariant: Int] = [:]
  private let checked: Set<Invariant>
  private let names: [String]
  private let ending: Set<Invariant>
  private let breaking: Invariant?
  /// Whether a violation ends the drives.
  package private(set) var endsDrives = false
  /// Whether a violation ends the run.
  package private(set) var breaksOff = false

  package static let violationsMax = 32
  private static let violationsPerInvariantMax = 8

  init(of run: JudgedRun) {
    checked = Set(run.checked)
    (ending, breaking) = (run.ending, run.breaking)
    names = run.homes.map(\.name)
  }

  func count(of invariant: Invariant) -> Int { counts[invariant, default: 0] }

  /// Adds a violation. `device` is nil when the run has no such device; `what` is a sentence that represents `times` violations.
  func flag(
    _ invariant: Invariant, _ device: Int?, _ uuid: UUID128? = nil, at instant: MonotonicInstant, times: Int = 1,
    _ what: @autoclosure () -> String, story: @autoclosure () -> [String] = []
  ) {
    guard checked.contains(invariant) else { return }
    let count = counts[invariant, default: 0] + times
    counts[invariant] = count
    if ending.contains(invariant) { endsDrives = true }
    if breaking == invariant { (endsDrives, breaksOff) = (true, true) }
    let known = violations.indices.filter { violations[$0].rule == invariant }
    let hasRoom = known.count < ViolationLog.violationsPerInvariantMax && violations.count < ViolationLog.violationsMax
    let latest = known.max { violations[$0].instant < violations[$1].instant }
    guard hasRoom || latest.map({ instant < violations[$0].instant }) ?? false else { return }
    let violation = Violation(
      device: device.map { names[$0] } ?? "(none of the run)", uuid: uuid, rule: invariant, instant: instant,
      what: what(), story: story())
    if hasRoom { violations.append(violation) } else if let latest { violations[latest] = violation }
  }

  /// Adds a record that its device lost by the SDK's own rules.
  func remark(_ device: Int, _ uuid: UUID128, at instant: MonotonicInstant, _ what: String) {
    guard remarks.count < ViolationLog.violationsMax else { return }
    remarks.append(
      Violation(device: names[device], uuid: uuid, rule: .ackedIsDurable, instant: instant, what: what, story: []))
  }

  /// Whether an invariant was checked.
  enum Exercise {
    case exercised(Int)
    /// Never, with the missing situation.
    case absent(String)
    case impossible(String)
  }

  /// Returns the outcomes of all invariants, in order.
  func outcomes(look lookAt: (Invariant) -> Exercise) -> [InvariantOutcome] {
    Invariant.allCases.map { invariant in
      guard checked.contains(invariant) else {
        return InvariantOutcome(invariant: invariant, verdict: .notJudged("disabled in the scenario"), exercised: 0)
      }
      let (look, count) = (lookAt(invariant), count(of: invariant))
      let isViolated = count > 0
      return switch look {
      case .exercised(let times):
        InvariantOutcome(
          invariant: invariant, verdict: isViolated ? .violated(count: count) : .held, exercised: max(times, count))
      case .absent(let what):
        InvariantOutcome(
          invariant: invariant, verdict: isViolated ? .violated(count: count) : .notExercised(what), exercised: count)
      case .impossible(let reason):
        InvariantOutcome(
          invariant: invariant, verdict: isViolated ? .violated(count: count) : .notJudged(reason), exercised: count)
      }
    }
  }
}

/// A violation of an invariant by a device.
package struct Violation: Equatable, Sendable {
  package let device: String
  /// Nil when it concerns the whole device.
  package let uuid: UUID128?
  package let rule: Invariant
  package let instant: MonotonicInstant
  /// The description, as a sentence.
  package let what: String
  /// The history of the record, in order, as sentences.
  package var story: [String]

  /// The text: the invariant, device and record first, then a line for each sentence.
  package var text: String {
    let record = uuid.map { ", record \($0.text)" } ?? ""
    return
      (["violated: \(rule.rawValue): device \(device)\(record)", "  \(instant.clockText) \(what)"]
      + story.map { "    " + $0 }).joined(separator: "\n")
  }
}

extension MonotonicInstant {
  /// The time since the start of the run: `00:12:43.210`.
  package var clockText: String {
    let milliseconds = nanoseconds / 1_000_000
    let (hours, minutes, seconds) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60)
    return
      "\(hours.zeroPadded(to: 2)):\(minutes.zeroPadded(to: 2)):\(seconds.zeroPadded(to: 2)).\((milliseconds % 1_000).zeroPadded(to: 3))"
  }
}

/// The result of a run for an invariant.
package struct InvariantOutcome: Equatable, Sendable {
  /// The verdict.
  package enum Verdict: Equatable, Sendable {
    case held
    case violated(count: Int)
    /// Not exercised, with the missing situation as half a sentence.
    case notExercised(String)
    /// With the reason, as half a sentence.
    case notJudged(String)
  }

  package let invariant: Invariant
  package let verdict: Verdict
  /// The number of checks.
  package let exercised: Int
}
