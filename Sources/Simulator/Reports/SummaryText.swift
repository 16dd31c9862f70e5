import Base
package import FleetSimulator
import Oracle
import Scenario

/// The end of a run for a person at a terminal: the records first.
package struct SummaryText {
  private let summary: RunSummary
  private let paint: Paint
  /// Characters per line.
  private let width: Int

  /// `width` is nil for unlimited line length.
  package init(_ summary: RunSummary, isColoured: Bool, width: Int? = nil) {
    self.summary = summary
    self.width = width ?? .max
    paint = Paint(isOn: isColoured)
  }

  package var text: String {
    let blocks = [
      [head] + missed, records + uploads, errors, trends, thresholds, checks, aboutServer, aboutPhones,
      violations,
      remarks, foot,
    ]
    return blocks.filter { !$0.isEmpty }
      .map { block in block.flatMap { Columns.wrapped($0, to: width) }.joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  /// A single line for a run without problems.
  package var line: String {
    let records = NumberText.count(summary.ledger.created)
    return "seed 0x\(String(summary.seed, radix: 16))  \(head)  \(records) records  hash \(summary.hash)"
  }

  private var head: String {
    let verdict = VerdictText(summary)
    let word =
      switch verdict.kind {
      case .good: paint.green(verdict.word)
      case .bad: paint.red(verdict.word)
      case .open: paint.yellow(verdict.word)
      }
    return "\(paint.bold(summary.scenario)) \(word)\(verdict.tail)"
  }

  /// The missed thresholds and checks, shown under the verdict when it cannot name them all.
  private var missed: [String] {
    let missed = summary.thresholds.filter { $0.outcome == .failed }
    guard missed.count > 1 else { return [] }
    return ["  \(missed.count) of \(summary.thresholds.count) thresholds missed"]
      + missed.map { "    \(paint.red("✗ " + MetricText.sentence($0)))" }
  }

  // MARK: Records and uploads

  private var records: [String] {
    let parts = LedgerText.parts(summary).map { part in
      let text = "\(part.title) \(NumberText.count(part.count))"
      return part.isBad ? paint.red(text) : text
    }
    return ["  records   " + parts.joined(separator: ", ")]
  }

  private var uploads: [String] {
    guard case .counter(let count)? = summary.figure("uploads"), count > 0 else { return ["  uploads   none"] }
    var parts = ["\(NumberText.count(count)) (\(RateText.uploads(count, of: summary)))"]
    let failures = summary.failures.values.reduce(0, +)
    if failures > 0 { parts.append("\(NumberText.count(failures)) without a 2xx (\(RateText.failures(of: summary)))") }
    if case .trend(let bytes)? = summary.figure("upload_bytes") {
      // Trends are those of the drives, and the uploads are all.
      parts.append("\(NumberText.bytes(Double(bytes.histogram.sum))) in the drives")
    }
    return ["  uploads   " + parts.joined(separator: ", ")]
  }

  private static let shownErrors = 10

  private var errors: [String] {
    guard !summary.errors.isEmpty else { return [] }
    let rows = summary.errors.prefix(SummaryText.shownErrors).map { ErrorText.cells($0, of: summary) }
    let left = summary.errors.count - rows.count
    let columns = Columns.fitted([ErrorText.heads] + rows, to: width - 2, dropping: ErrorText.lesserColumns)
    return Columns.text(columns, firstIsLeft: true, allLeft: true).map { "  " + $0 }
      + (left > 0 ? ["  and \(NumberText.count(left)) more kinds of error"] : [])
  }

  // MARK: Figures

  private static let shownTrends = [
    "upload_duration", "upload_wait", "record_delivery_latency", "queue_depth", "queue_oldest_age", "drain_time",
    "batch_size", "retries_per_record", "geofence_delay", "time_to_visible", "generator_lag",
  ]

  private var trends: [String] {
    var rows = [["", "avg", "p50", "p95", "p99", "max"]]
    for name in SummaryText.shownTrends {
      guard case .trend(let spread)? = summary.figure(name), spread.histogram.count > 0 else { continue }
      let values = [
        spread.value(.average), spread.percentile(50), spread.percentile(95), spread.percentile(99),
        spread.value(.maximum),
      ]
      rows.append([name] + values.map { $0.map { MetricText.text($0, of: name) } ?? "–" })
    }
    guard rows.count > 1 else { return [] }
    return Columns.text(Columns.fitted(rows, to: width - 2, dropping: [1, 5]), firstIsLeft: true).map { "  " + $0 }
  }

  private var thresholds: [String] {
    guard !summary.thresholds.isEmpty else { return [] }
    let rows = summary.thresholds.map { verdict in
      [
        verdict.selection, MetricText.expression(verdict),
        MetricText.text(verdict) + (verdict.endedTheRun ? ", ended the run" : ""),
      ]
    }
    let lines = Columns.text(rows, firstIsLeft: true, allLeft: true)
    return ["  thresholds"]
      + zip(summary.thresholds, lines).map { verdict, line in
        switch verdict.outcome {
        case .passed: "    \(paint.green("✓")) \(line)"
        case .failed: "    \(paint.red("✗ " + line))"
        case .notMeasured, .notJudged: "    – \(line)"
        }
      }
  }

  private var checks: [String] {
    guard !summary.checks.isEmpty else { return [] }
    let rows = summary.checks.map { check in
      let total = check.held + check.failed
      let share = total > 0 ? NumberText.percent(Double(check.held) / Double(total)) : "not exercised"
      return [check.name, share, "\(NumberText.count(check.held)) of \(NumberText.count(total))"]
    }
    return ["  checks"]
      + zip(summary.checks, Columns.text(rows, firstIsLeft: true)).map { check, line in
        "    \(check.failed > 0 ? paint.red("✗") : check.held > 0 ? paint.green("✓") : "–") \(line)"
      }
  }

  // MARK: What must hold

  private var aboutServer: [String] {
    let rows = summary.invariants.filter { $0.subject == .server }.map { verdict in
      switch verdict.outcome {
      case .held: "    \(paint.green("✓")) \(verdict.name) held"
      case .violated: "    \(paint.red("✗ \(verdict.name)")) \(NumberText.count(verdict.violations, "time"))"
      case .notJudged: "    – \(verdict.name) not judged" + (verdict.reason.map { ": \($0)" } ?? "")
      case .notExercised: SummaryText.open(verdict, "not exercised")
      }
    }
    let findings = summary.findings.flatMap { finding in
      ["    \(paint.red("✗ \(finding.name)")) \(finding.text)"] + finding.details.map { "        " + $0 }
    }
    return rows.isEmpty && findings.isEmpty ? [] : ["  about the server"] + findings + rows
  }

  private var aboutPhones: [String] {
    let invariants = summary.invariants.filter { $0.subject == .phone }
    let held = invariants.count { $0.outcome == .held }
    let unjudged = invariants.filter { $0.outcome == .notJudged }
    let absent = invariants.filter { $0.outcome == .notExercised }
    let violated = invariants.filter { $0.outcome == .violated }
    guard held + unjudged.count + absent.count + violated.count > 0 else { return [] }
    var parts = ["\(held) held"]
    if !violated.isEmpty { parts.insert(paint.red("\(violated.count) violated"), at: 0) }
    if !absent.isEmpty { parts.append("\(absent.count) not exercised") }
    if !unjudged.isEmpty { parts.append("\(unjudged.count) not judged") }
    let missed = summary.coverage.filter { $0.seen == 0 }.map(\.goal)
    let coverage = missed.isEmpty ? [] : ["  " + paint.yellow("never seen") + " " + missed.joined(separator: ", ")]
    return ["  about the simulator's phones  invariants: " + parts.joined(separator: ", ")]
      + violated.map { "    \(paint.red("✗ \($0.name)")) \(NumberText.count($0.violations, "time"))" }
      + absent.map { SummaryText.open($0, "not exercised") } + unjudged.map { SummaryText.open($0, "not judged") }
      + coverage
  }

  private static func open(_ verdict: InvariantVerdict, _ words: String) -> String {
    "    – \(verdict.name) \(words)" + (verdict.reason.map { ": \($0)" } ?? "")
  }

  private var violations: [String] {
    summary.violations.flatMap { violation in
      let record = violation.uuid.map { ", record \($0)" } ?? ""
      return [paint.red("  violated: \(violation.invariant): device \(violation.device)\(record)")]
        + violation.story.map { "    " + $0 }
    } + (summary.replay.map { ["  again: \($0)"] } ?? [])
  }

  /// Records lost by the SDK's own rules, and what the run could not do or does not know.
  private var remarks: [String] {
    summary.remarks.flatMap { remark in
      let record = remark.uuid.map { ", record \($0)" } ?? ""
      return [paint.yellow("  lost on the way: device \(remark.device)\(record)")] + remark.story.map { "    " + $0 }
    } + summary.notes.map { "  \(paint.yellow("note")) \($0)" }
  }

  private var foot: [String] {
    let time = summary.mode == "virtual" ? "virtual time" : "time"
    var parts = ["\(NumberText.count(summary.devices, "device")) for \(NumberText.span(summary.drives)) of \(time)"]
    if let drained = summary.drained {
      parts.append("drained in \(NumberText.span(milliseconds: drained.seconds * 1_000))")
    } else {
      parts.append("not drained")
    }
    switch summary.ending {
    case .completed: break
    case .threshold: parts.append("ended after \(NumberText.span(summary.ended)) by a threshold")
    case .violation: parts.append("ended after \(NumberText.span(summary.ended)) by a violation")
    case .signal: parts.append("stopped after \(NumberText.span(summary.ended))")
    case .stopped:
      let cause = summary.missing.isEmpty ? "stopped by hand" : "ended without all parts"
      parts.append("\(cause) before the planned \(NumberText.span(summary.duration))")
    case .aborted: parts.append("aborted after \(NumberText.span(summary.ended))")
    case .running: parts.append("still running")
    }
    parts.append("\(NumberText.count(summary.events)) events")
    return RateText.head(of: summary).map { "  " + $0 } + [
      "  " + parts.joined(separator: ", "), "  seed 0x\(String(summary.seed, radix: 16))  hash \(summary.hash)",
    ]
  }
}

/// The parts of the ledger in words.
enum LedgerText {
  struct Part {
    let title: String
    let count: Int
    let isBad: Bool
  }

  /// Returns the non-zero parts, and those whose zero is informative: without a look at the store no zero is.
  static func parts(_ summary: RunSummary) -> [Part] {
    let isVerified = summary.verification.outcome == .verified
    let always =
      isVerified ? ["created", "stored", "pending", "lost", "duplicateRows"] : ["created", "unverified", "pending"]
    return LedgerSums.parts.compactMap { part in
      let count = summary.ledger[keyPath: part.path]
      guard count > 0 || always.contains(part.name), part.name != "duplicatesExplained" || summary.seesArrivals else {
        return nil
      }
      return Part(title: title(part.name), count: count, isBad: count > 0 && bad.contains(part.name))
    }
  }

  private static let bad = ["lostToPages", "lost", "misplaced", "changed", "duplicateRows"]

  /// `duplicateRows` becomes "duplicate rows".
  private static func title(_ name: String) -> String {
    switch name {
    case "unverified": "acknowledged and not verified"
    case "misled": "deleted after an HTML page with status 200"
    case "lostToPages": "of these not in the store and explained by no fault"
    case "misplaced": "of the lost, under another device"
    case "changed": "stored differently from what was sent"
    default: name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
  }
}

/// A kind of error as a row of a table.
enum ErrorText {
  static let heads = ["errors", "count", "share", "fleet", "first", "last", "message"]
  /// The columns that a narrow terminal can omit, least important first.
  static let lesserColumns = [5, 4, 2]

  static func cells(_ error: RequestError, of summary: RunSummary) -> [String] {
    let purpose = error.purpose == "records" ? "" : "\(error.purpose): "
    return [
      purpose + error.kind, NumberText.count(error.count), NumberText.percent(summary.share(of: error)), error.fleet,
      error.first.runTime, error.last.runTime, error.message,
    ]
  }

  /// Returns a sample error with its request.
  static func sample(_ error: RequestError) -> String {
    let records = error.sample.records > 0 ? ", \(NumberText.count(error.sample.records, "record"))" : ""
    return "\(error.sample.request) from \(error.sample.device)\(records)"
  }
}

extension Nanoseconds {
  /// The time since the start of the run in whole seconds: `00:12:43`.
  fileprivate var runTime: String { String((MonotonicInstant(nanoseconds: 0) + self).clockText.prefix { $0 != "." }) }
}
