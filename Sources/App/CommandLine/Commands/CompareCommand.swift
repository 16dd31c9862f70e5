import Base
import FleetSimulator
import Reports
import Scenario

extension Subcommand {
  static let compare = Subcommand(
    name: "compare",
    summary: "compare two runs, and fail when the second one is worse",
    operands: "BEFORE AFTER",
    operandCount: 2...2,
    operandHint: "name two --out folders, or their summary.json files",
    flags: [
      .values(
        "threshold", "FIGURE:STAT:N%",
        "judge this figure only, and allow it to be N % worse: upload_duration:p95:5%, upload_failed:0%"),
      .value("out", "DIR", "write compare.html, compare.md and junit.xml there"),
      .toggle("markdown", "print a table for a pull request"),
    ],
    details: """
      BEFORE and AFTER are the --out folders of two runs. Without --threshold, the 50th, 95th and 99th percentile of
      upload_duration and record_delivery_latency and the share of failed uploads are judged: each may be 2 % worse. Lost,
      changed and duplicate records must not increase, and AFTER must have no finding, violated invariant, broken
      clause, missed threshold, failed check or missed coverage that BEFORE does not have.

      A difference counts only when chance, the spread among groups of phones and among pieces of the run, does not
      explain it: one of 500 comparisons of equal runs is a false alarm. Runs with the same seed are compared phone by
      phone, which finds smaller differences. It is a regression too when only AFTER is invalid or was stopped, or when
      only AFTER has no verified storage. The exit code is 99 on a regression; without one, it is 97 when a run is
      invalid or was stopped, or when no figure could be judged.
      """,
    examples: [
      "rollingroad compare before after",
      "rollingroad compare before after --threshold upload_duration:p95:5% --threshold upload_failed:0% --out compared",
    ],
    run: { (invocation) throws(UsageError) in try CompareCommand(invocation).run() })
}

/// One run of `compare`.
private struct CompareCommand {
  let process: ProcessContext
  let places: [String]
  let limits: [RunComparison.Limit]
  let folder: String?
  let isMarkdown: Bool

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    places = invocation.operands
    folder = invocation.values.text("out")
    isMarkdown = invocation.values.isOn("markdown")
    var limits: [RunComparison.Limit] = []
    for text in invocation.values.texts("threshold") { limits.append(try CompareCommand.limit(text)) }
    self.limits = limits
  }

  private static func limit(_ text: String) throws(UsageError) -> RunComparison.Limit {
    guard let limit = RunComparison.Limit(text: text) else {
      throw UsageError("--threshold: '\(text)' is not FIGURE:STAT:N%, as in upload_duration:p95:5% or upload_failed:0%")
    }
    let name = String(limit.metric.prefix { $0 != "{" })
    guard let metric = Metric.all.first(where: { $0.name == name }) else {
      let near = NearestName.find(name, in: Metric.all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("--threshold: unknown figure '\(name)'\(near)")
    }
    guard (metric.kind == .trend) == !limit.statistic.isEmpty else {
      throw UsageError(
        metric.kind == .trend
          ? "--threshold: '\(name)' needs a statistic: avg, med, p95, max, as in \(name):p95:5%"
          : "--threshold: '\(name)' has one number; write \(name):5%")
    }
    return limit
  }

  func run() -> ExitCode {
    let comparison: RunComparison
    do throws(any Error) {
      let before = try RunSummary.read(places[0], process.readFile)
      let after = try RunSummary.read(places[1], process.readFile)
      comparison = RunComparison(before, after, limits: limits)
    } catch {
      process.writeError("rollingroad compare: \((error as? SummaryError)?.message ?? "\(error)")")
      return .runtimeFailure
    }
    let text = ComparisonText(
      comparison, isColoured: process.outputIsColoured && !isMarkdown,
      width: process.outputWidth())
    process.writeOutput(isMarkdown ? text.markdown : text.text)
    let isWritten = write(comparison, text)
    if !comparison.regressions.isEmpty { return .thresholdFailed }
    guard comparison.invalidity == nil else { return .runInvalid }
    return isWritten ? .ok : .runtimeFailure
  }

  /// Returns false when a file could not be written; the verdict is valid nevertheless.
  private func write(_ comparison: RunComparison, _ text: ComparisonText) -> Bool {
    guard let folder else { return true }
    do throws(any Error) {
      let output = try OutputFolder(folder)
      let files = [
        ("compare.html", ComparisonPage(comparison).text), ("compare.md", text.markdown), ("junit.xml", text.junit),
      ]
      for (name, content) in files { try output.write(content, to: name) }
      for (name, _) in files { process.writeOutput("  wrote \(output.path(name))") }
      return true
    } catch {
      process.writeError("rollingroad compare: \(error)")
      return false
    }
  }
}
