import Base
package import FleetSimulator
import Oracle
import Scenario

/// The verdicts of a run as JUnit XML: a case for each threshold, check and invariant.
package struct JUnitReport {
  private struct Case {
    var name: String
    var failure: String?
    var skipped: String?
    /// Further lines about the failure.
    var details: [String] = []
  }

  private let summary: RunSummary

  package init(_ summary: RunSummary) { self.summary = summary }

  package var text: String {
    let suites = [
      ("run", run), ("thresholds", thresholds), ("checks", checks), ("server", invariants(.server)),
      ("invariants", invariants(.phone)),
    ]
    let all = suites.flatMap(\.1)
    let seconds = NumberText.decimal(summary.ended.seconds, places: 3).filter { $0 != "," }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"\(XML.escaped(summary.scenario))\" \(JUnitReport.counts(all)) time=\"\(seconds)\">",
    ]
    for (name, cases) in suites {
      lines.append(
        "  <testsuite name=\"\(name)\" \(JUnitReport.counts(cases)) errors=\"0\" timestamp=\"\(timestamp)\">")
      if name == "run" { lines += properties }
      for entry in cases { lines += JUnitReport.lines(of: entry, in: "\(summary.scenario).\(name)") }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>", ""]).joined(separator: "\n")
  }

  /// Without milliseconds and zone, as in the schema of JUnit.
  private var timestamp: String {
    String((summary.origin?.start ?? summary.place?.start ?? summary.start).iso8601Text.prefix(19))
  }

  private var properties: [String] {
    var values = [
      ("seed", "0x" + String(summary.seed, radix: 16)), ("hash", summary.hash), ("result", "\(summary.result)"),
      ("verdict", VerdictText(summary).line),
    ]
    if let origin = summary.origin { values += [("command", origin.command), ("host", origin.host)] }
    if let place = summary.place {
      let rate = NumberText.figure(place.uploadsPerSecond)
      values += [
        ("target", place.target), ("server", place.server ?? ""), ("started", place.start.iso8601Text),
        ("ended", place.end.iso8601Text),
        ("wallSeconds", NumberText.decimal(place.seconds, places: 3).filter { $0 != "," }),
        ("uploadsPerWallSecond", rate),
      ]
    }
    values += summary.answers.sorted { $0.key < $1.key }.map { ("answers: \($0.key)", "\($0.value)") }
    return ["    <properties>"]
      + values.map { "      <property name=\"\($0)\" value=\"\(XML.escaped($1))\"/>" } + ["    </properties>"]
  }

  /// The cases of the run as a whole: everything that decides its result and is in no other suite.
  private var run: [Case] {
    var storage = Case(name: "storage verified")
    switch summary.verification.outcome {
    case .verified: break
    case .notAsked: storage.skipped = "storage was not verified"
    case .failed: storage.failure = summary.verification.reason ?? "it could not be asked for"
    }
    var whole = Case(name: "all shards are there")
    if !summary.missing.isEmpty { whole.failure = summary.missing.map(\.sentence).joined(separator: "; ") }
    var end = Case(name: "ran to its end")
    if summary.isStopped { end.failure = VerdictText.stop(summary) }
    var records = Case(name: "each record in one place")
    if !summary.hasEachRecordOnce { records.failure = VerdictText(summary).line }
    let goals = summary.coverage.map { goal in
      var entry = Case(name: "covered: \(goal.goal)")
      guard goal.seen == 0 else { return entry }
      // Another shard may have seen it.
      if summary.shard == nil { entry.failure = "never seen" } else { entry.skipped = "the whole is judged" }
      return entry
    }
    return [storage, whole, end, records] + goals
      + summary.findings.map { Case(name: $0.name, failure: $0.text, details: $0.details) }
  }

  private var thresholds: [Case] {
    summary.thresholds.map { verdict in
      var entry = Case(name: "\(verdict.selection) \(verdict.expression)")
      switch verdict.outcome {
      case .passed: break
      case .failed: entry.failure = "is \(MetricText.text(verdict))"
      case .notMeasured: entry.skipped = "nothing measured"
      case .notJudged: entry.skipped = MetricText.text(verdict)
      }
      return entry
    }
  }

  private var checks: [Case] {
    let missed = Set(summary.missedChecks.map(\.name))
    return summary.checks.map { check in
      var entry = Case(name: check.name)
      if missed.contains(check.name) {
        entry.failure = "\(check.failed) of \(check.held + check.failed) answers do not match"
      }
      if check.held + check.failed == 0 { entry.skipped = "not exercised by any answer" }
      return entry
    }
  }

  private func invariants(_ subject: Invariant.Subject) -> [Case] {
    summary.invariants.filter { $0.subject == subject }.map { verdict in
      var entry = Case(name: verdict.name)
      switch verdict.outcome {
      case .held: break
      case .notJudged: entry.skipped = verdict.reason ?? "not judged"
      case .notExercised: entry.skipped = "not exercised" + (verdict.reason.map { ": \($0)" } ?? "")
      case .violated:
        entry.failure = "violated \(NumberText.count(verdict.violations, "time"))"
        for violation in summary.violations where violation.invariant == verdict.name {
          entry.details.append("device \(violation.device)" + (violation.uuid.map { ", record \($0)" } ?? ""))
          entry.details += violation.story.map { "  " + $0 }
        }
        if let replay = summary.replay { entry.details.append("again: \(replay)") }
      }
      return entry
    }
  }

  private static func counts(_ cases: [Case]) -> String {
    let (failed, skipped) = (cases.count { $0.failure != nil }, cases.count { $0.skipped != nil })
    return "tests=\"\(cases.count)\" failures=\"\(failed)\" skipped=\"\(skipped)\""
  }

  private static func lines(of entry: Case, in group: String) -> [String] {
    let head = "    <testcase classname=\"\(XML.escaped(group))\" name=\"\(XML.escaped(entry.name))\""
    if let failure = entry.failure {
      let details = XML.escaped(entry.details.joined(separator: "\n"))
      return [head + ">", "      <failure message=\"\(XML.escaped(failure))\">\(details)</failure>", "    </testcase>"]
    }
    if let skipped = entry.skipped {
      return [head + ">", "      <skipped message=\"\(XML.escaped(skipped))\"/>", "    </testcase>"]
    }
    return [head + "/>"]
  }
}
