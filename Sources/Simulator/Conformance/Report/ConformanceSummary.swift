package import Base
import CurlTransport
import Scenario

/// The verdicts of a run, and their summary.
package struct ConformanceSummary: Sendable {
  package let results: [ClauseResult]
  package let target: String
  package let store: String?
  package let seed: UInt64
  package let start: WallInstant
  package let seconds: Double
  /// Whether it ended before all clauses had run.
  package var wasInterrupted = false
  /// The form of requests to the backend, for reproductions.
  var dialect = Dialect()
  var transport = TransportConfiguration()
  /// How the list has limited the rate of questions, as "status 429, Retry-After: 30"; nil where it has not.
  package var rateLimit: String?
  /// A command line that runs a clause again, without its name.
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
  /// The breaches that are not the consequence of another.
  package var causes: [ClauseResult] { broken.filter { $0.cause == nil } }
  /// Returns the level of a finding: the highest of the clauses that it names.
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

  /// The count, and what was not checked.
  package var badge: String { ([count] + reservations).joined(separator: "; ") }

  /// The gaps that a reader of the count alone would not expect.
  package var reservations: [String] {
    var reservations: [String] = []
    if wasInterrupted { reservations.append("interrupted") }
    if hasRunOutOfTime { reservations.append("out of time") }
    let partly = results.filter { if case .partly = $0.verdict { true } else { false } }
    if !partly.isEmpty {
      reservations.append("checked in part: \(partly.map(\.clause.id).joined(separator: ", "))")
    }
    if unreadStore != nil {
      reservations.append("the store could not be read")
    } else if store == nil, results.contains(where: { $0.clause.needs.contains(.store) }) {
      reservations.append("storage not checked")
    }
    return reservations
  }

  /// Whether clauses that restart the backend had no command for it.
  var lacksRestart: Bool {
    dialect.restart == nil
      && results.contains { result in
        if case .notApplicable = result.verdict { result.clause.needs.contains(.restart) } else { false }
      }
  }

  /// The kept clauses that were judged without a field that they name, by this field.
  var unshown: [(field: String, ids: [String])] {
    var groups: [(field: String, ids: [String])] = []
    for result in results {
      guard case .kept(_, let field?) = result.verdict else { continue }
      if let index = groups.firstIndex(where: { $0.field == field }) {
        groups[index].ids.append(result.clause.id)
      } else {
        groups.append((field, [result.clause.id]))
      }
    }
    return groups
  }

  /// Whether no good record was acknowledged or rejected, so that kept clauses mean little.
  private var isMute: Bool {
    results.contains { result in
      if case .notJudged(.other) = result.verdict { result.clause.id == "good-record-acknowledged" } else { false }
    }
  }

  /// Whether clauses did not run, or did not finish, within the limit.
  private var hasRunOutOfTime: Bool { results.contains { $0.verdict == .notJudged(.outOfTime) } }

  /// Why the store could not be read.
  var unreadStore: String? {
    for case .unread(let reason) in results.map(\.verdict) { return reason }
    return nil
  }

  /// The outcome of the run as a whole.
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
    (dialect, transport, rateLimit) = (target.dialect, target.transport, target.client.limit.words)
  }
}
