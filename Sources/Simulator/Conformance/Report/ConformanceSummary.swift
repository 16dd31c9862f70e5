package import Base
import CurlTransport
import Scenario

/// The verdicts of a run, and what follows from them.
package struct ConformanceSummary: Sendable {
  package let results: [ClauseResult]
  package let target: String
  package let store: String?
  package let seed: UInt64
  package let start: WallInstant
  package let seconds: Double
  /// It ended before all clauses had their turn.
  package var wasInterrupted = false
  /// How the backend was spoken to, for what is to be sent again.
  var dialect = Dialect()
  var transport = TransportConfiguration()
  /// A command line that runs a clause again: all but its name.
  package var command = "rollingroad conform"

  package init(
    _ results: [ClauseResult], target: String, store: String?, seed: UInt64, start: WallInstant, seconds: Double
  ) {
    self.results = results
    self.target = target
    self.store = store
    self.seed = seed
    self.start = start
    self.seconds = seconds
  }

  package var kept: [ClauseResult] { results.filter { if case .kept = $0.verdict { true } else { false } } }
  package var broken: [ClauseResult] { results.filter { $0.breach != nil } }
  /// Those that are no consequence of another.
  package var causes: [ClauseResult] { broken.filter { $0.cause == nil } }
  /// The level of a finding: that of the worst clause that it names.
  func level(of finding: ClauseResult) -> ClauseLevel {
    broken.contains {
      $0.clause.level == .must && ($0.clause.id == finding.clause.id || $0.cause == finding.clause.id)
    } ? .must : .should
  }

  package var notApplicable: [ClauseResult] {
    results.filter { if case .notApplicable = $0.verdict { true } else { false } }
  }
  package var notJudged: [ClauseResult] {
    results.filter {
      switch $0.verdict {
      case .notJudged, .unread, .partly: true
      case .kept, .broken, .notApplicable: false
      }
    }
  }
  package var judgedCount: Int { kept.count + broken.count }

  /// `68 of 70`.
  var count: String { "\(kept.count) of \(judgedCount)" }

  /// The count, and what was not looked at.
  package var badge: String { ([count] + reservations).joined(separator: "; ") }

  /// What a reader of the count alone would take for granted.
  package var reservations: [String] {
    var reservations: [String] = []
    if wasInterrupted { reservations.append("interrupted") }
    if hasRunOutOfTime { reservations.append("out of time") }
    let partly = results.filter { if case .partly = $0.verdict { true } else { false } }
    if !partly.isEmpty {
      reservations.append("looked at in part: \(partly.map(\.clause.id).joined(separator: ", "))")
    }
    if unreadStore != nil {
      reservations.append("the store could not be read")
    } else if store == nil, results.contains(where: { $0.clause.needs.contains(.store) }) {
      reservations.append("storage not looked at")
    }
    return reservations
  }

  /// Clauses that restart the backend had no command for it.
  var lacksRestart: Bool {
    dialect.restart == nil
      && results.contains { result in
        if case .notApplicable = result.verdict { result.clause.needs.contains(.restart) } else { false }
      }
  }

  /// No good record was acknowledged, and none refused: what was kept says little.
  private var isMute: Bool {
    results.contains { result in
      if case .notJudged(.other) = result.verdict { result.clause.id == "good-record-acknowledged" } else { false }
    }
  }

  /// Clauses had no turn, or no time to the end, within the limit.
  private var hasRunOutOfTime: Bool { results.contains { $0.verdict == .notJudged(.outOfTime) } }

  /// Why the store that was named could not be read.
  var unreadStore: String? {
    for case .unread(let reason) in results.map(\.verdict) { return reason }
    return nil
  }

  /// What the run as a whole came to.
  package enum Outcome: Sendable {
    case allKept, mustBroken, shouldBroken, interrupted, storeUnread, outOfTime, nothingJudged
  }

  package var outcome: Outcome {
    if broken.contains(where: { $0.clause.level == .must }) { return .mustBroken }
    if wasInterrupted { return .interrupted }
    if unreadStore != nil { return .storeUnread }
    if hasRunOutOfTime { return .outOfTime }
    if !broken.isEmpty { return .shouldBroken }
    return kept.isEmpty || isMute ? .nothingJudged : .allKept
  }
}

extension ClauseResult {
  package var breach: Breach? { if case .broken(let breach) = verdict { breach } else { nil } }
}

extension ConformanceSummary {
  package init(
    _ results: [ClauseResult], of target: ConformanceTarget, _ settings: ConformanceRun.Settings, seconds: Double
  ) {
    self.init(
      results, target: target.url, store: target.storePlace, seed: settings.seed, start: settings.start,
      seconds: seconds)
    (dialect, transport) = (target.dialect, target.transport)
  }
}
