import Base
import FleetSimulator
import Oracle
import Scenario

/// The headline of a run: its result, important remarks, and what it could not judge.
struct VerdictText {
  /// `passed`.
  let word: String
  /// The colour of the headline.
  let kind: Kind
  /// The reasons for the result, and what was not judged, in sentences.
  let rest: [String]

  /// Whether the result is good.
  enum Kind { case good, bad, open }

  init(_ summary: RunSummary) {
    (word, kind) = VerdictText.headline(summary)
    rest = VerdictText.reasons(summary) + VerdictText.storage(summary) + VerdictText.limits(summary)
  }

  private static func headline(_ summary: RunSummary) -> (String, Kind) {
    switch summary.result {
    case .passed: ("passed", .good)
    case .invalid: ("invalid", .bad)
    case .violated: ("violated", .bad)
    case .failed: ("failed", .bad)
    case .stopped: (stop(summary), .open)
    case .uncovered: ("not covered", .open)
    }
  }

  /// Returns the reasons for the result, the main one first.
  private static func reasons(_ summary: RunSummary) -> [String] {
    let isUnread = summary.verification.outcome == .failed
    var reasons = summary.missing.map(\.sentence) + summary.findings.map(\.text)
    if isUnread {
      reasons.append("what the server has stored could not be verified: \(summary.verification.reason ?? "no reason")")
    }
    switch summary.result {
    case .passed:
      if summary.ledger.created == 0 { reasons.append("no phone has recorded anything") }
    case .invalid:
      if let withdrawn = summary.withdrawn {
        reasons.insert("\(withdrawn.name) not judged: \(withdrawn.reason ?? "")", at: 0)
      }
      let late = missed(summary.thresholds.filter(\.invalidates)).map { ": " + $0 } ?? ""
      if !isUnread { reasons.insert("the figures of this run are not valid\(late)", at: 0) }
    case .violated: reasons = [violations(summary)].compactMap(\.self) + reasons
    case .failed: reasons = [missed(summary.thresholds)].compactMap(\.self) + reasons + missedChecks(summary)
    case .stopped: break
    case .uncovered: reasons.insert(uncovered(summary), at: 0)
    }
    return reasons
  }

  private static func missedChecks(_ summary: RunSummary) -> [String] {
    summary.missedChecks.map { check in
      "check \(check.name) not met by \(NumberText.count(check.failed)) of \(NumberText.count(check.held + check.failed, "answer"))"
    }
  }

  /// Returns what was not compared with the store, and what was found there besides.
  private static func storage(_ summary: RunSummary) -> [String] {
    let verification = summary.verification
    var found: [String] = []
    if verification.outcome == .notAsked {
      found = [unverified, verification.reason].compactMap(\.self)
    } else if verification.outcome == .verified, !verification.comparesContents, summary.ledger.stored > 0 {
      found.append("stored records known by their uuids, contents not compared")
    } else if case let fields = verification.uncompared, !fields.isEmpty {
      found.append(
        "\(fields.joined(separator: " and ")) not compared: no entry shows \(fields.count == 1 ? "it" : "them") "
          + "in a readable form")
    }
    if verification.unreadTimes > 0 {
      let times = NumberText.count(verification.unreadTimes, "stored time")
      found.append("\(times) not compared: times without a time zone")
    }
    if verification.outcome == .verified, summary.ledger.unverified > 0 {
      let records = NumberText.count(summary.ledger.unverified, "acknowledged record")
      found.append(
        "\(records) that the scenario made invalid not listed: quarantined, or lost; let the store list those of its quarantine too, or name verify.quarantinedUrl"
      )
    }
    if verification.repetitions > 0 {
      found.append("\(NumberText.count(verification.repetitions, "message")) arrived again with the same id")
    }
    if verification.unknownRows > 0 {
      let rows = NumberText.count(verification.unknownRows, "stored record")
      found.append(
        "\(rows) of these devices not sent in this run: they are from an earlier run, or the backend created them")
    }
    if verification.lateRecords > 0 {
      let records = NumberText.count(verification.lateRecords, "acknowledged record")
      found.append(
        "at least \(records) late in the store: it lags behind (verify.readDelay), or commits after its answer")
    }
    return found
  }

  /// Returns what limits the meaning of the result otherwise.
  private static func limits(_ summary: RunSummary) -> [String] {
    var limits = [waiting(summary)].compactMap(\.self) + unjudged(summary.thresholds)
    let broken = summary.clauses.count { $0.outcome == .broken }
    if broken > 0, !summary.findings.contains(where: { $0.name == ServerFinding.clausesBroken }) {
      limits.append("\(NumberText.count(broken, "clause")) broken by the server's answers")
    }
    if let pace = summary.paceUnderLimit {
      limits.append(
        "the server limits the rate, and time was compressed: requests came \(NumberText.figure(pace)) times as fast as "
          + "the devices' own; run it in real time (--mode realtime), or accelerated with a small --factor")
    }
    return limits
  }

  /// `passed; storage not verified`, `failed: records_lost count==0 was 2`.
  var line: String { word + tail }

  /// The word, and whether the store was read.
  var brief: String { rest.contains(VerdictText.unverified) ? "\(word), \(VerdictText.unverified)" : word }

  private static let unverified = Verification.unverified

  /// The text after the word.
  var tail: String { rest.isEmpty ? "" : (kind == .bad ? ": " : "; ") + rest.joined(separator: "; ") }

  /// Returns how many records were still being delivered at the end; nil without any.
  private static func waiting(_ summary: RunSummary) -> String? {
    let counts = summary.serverCounts
    let count = summary.ledger.pending - (counts?.waitingRecords ?? 0)
    let drain = summary.invariants.first { $0.name == Invariant.drain.rawValue }
    // Virtual time has no counts of a run that was stopped.
    guard count > 0, drain?.outcome == .notJudged, !summary.isStopped, !(counts?.isCut ?? false) else {
      return nil
    }
    return
      "\(NumberText.count(count, "record")) still waited, and were on their way, when the settle phase ended: set a longer clock.settle"
  }

  /// Returns the unjudged thresholds, by reason, without the unread store, which is mentioned already.
  private static func unjudged(_ thresholds: [ThresholdVerdict]) -> [String] {
    var lines: [(reason: String, names: [String])] = []
    for verdict in thresholds where verdict.outcome == .notJudged && verdict.reason != unverified {
      let (reason, name) = (verdict.reason ?? "", "\(verdict.selection) \(MetricText.expression(verdict))")
      if let place = lines.firstIndex(where: { $0.reason == reason }) {
        lines[place].names.append(name)
      } else {
        lines.append((reason, [name]))
      }
    }
    return lines.map { "\($0.names.joined(separator: ", ")) not judged: \($0.reason)" }
  }

  /// `checks{check:accepted} rate>0.99 was 98.2 % and 2 more`; nil when none was missed.
  private static func missed(_ thresholds: [ThresholdVerdict]) -> String? {
    let missed = thresholds.filter { $0.outcome == .failed }
    guard let first = missed.first else { return nil }
    return MetricText.sentence(first) + (missed.count > 1 ? ", and \(missed.count - 1) more" : "")
  }

  /// Returns who stopped it.
  static func stop(_ summary: RunSummary) -> String {
    switch summary.ending {
    case .aborted: "aborted"
    case .running: "still running"
    case .completed, .threshold, .violation, .signal, .stopped: "stopped by a signal"
    }
  }

  /// Returns the goals that were not covered, which mostly depends on the number of devices.
  private static func uncovered(_ summary: RunSummary) -> String {
    let goals = summary.coverage.filter { $0.seen == 0 }.map(\.goal).joined(separator: ", ")
    return "never seen \(goals) with \(NumberText.count(summary.devices, "device")): "
      + "run more of them (--devices) or for longer (--duration)"
  }

  /// Returns the violations, as a sentence; nil when they are findings.
  private static func violations(_ summary: RunSummary) -> String? {
    let ledger = summary.ledger
    var parts: [String] = []
    if ledger.lost > 0 {
      let elsewhere =
        ledger.misplaced > 0 ? ", \(NumberText.count(ledger.misplaced)) of them stored for another device" : ""
      parts.append("\(NumberText.count(ledger.lost, "acknowledged record")) lost\(elsewhere)")
    }
    if ledger.duplicateRows > 0 {
      parts.append("\(NumberText.count(ledger.duplicateRows, "row")) too many of records that are stored")
    }
    if ledger.changed > 0 {
      parts.append("\(NumberText.count(ledger.changed, "record")) stored differently from what was sent")
    }
    let toPages = summary.verification.outcome == .verified ? ledger.lostToPages : ledger.misled
    if toPages > 0 {
      parts.append("\(NumberText.count(toPages, "record")) deleted after an HTML page with status 200")
    }
    let broken = summary.invariants.filter { $0.outcome == .violated }.map(\.name)
    if parts.isEmpty, broken.isEmpty, summary.findings.contains(where: \.isViolation) { return nil }
    if parts.isEmpty { parts = ["an invariant was violated"] }
    return parts.joined(separator: ", ") + (broken.isEmpty ? "" : " (\(broken.joined(separator: ", ")))")
  }
}
