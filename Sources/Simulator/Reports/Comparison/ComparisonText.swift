import Base
import FleetSimulator

/// The comparison of two runs for a terminal, for a pull request and for a CI server.
package struct ComparisonText {
  private let comparison: RunComparison
  private let paint: Paint
  private let width: Int

  /// `width` is nil for unlimited line length.
  package init(_ comparison: RunComparison, isColoured: Bool = false, width: Int? = nil) {
    self.width = width ?? .max
    self.comparison = comparison
    paint = Paint(isOn: isColoured)
  }

  /// The verdict: `2 regressions: upload_duration p95 +6.1 %, records lost 0 to 3`.
  package var verdict: String {
    let bad = comparison.regressions
    guard !bad.isEmpty else {
      if let invalidity = comparison.invalidity { return "not comparable: \(invalidity)" }
      let undecided = comparison.rows.count { if case .undecided = $0.outcome { true } else { false } }
      return "no regression" + (undecided > 0 ? "; \(NumberText.count(undecided, "figure")) undecided" : "")
    }
    let list = bad.prefix(3).map { row in "\(row.name) \(ComparisonText.step(row))" }.joined(separator: ", ")
    let more = bad.count > 3 ? " and \(bad.count - 3) more" : ""
    return "\(NumberText.count(bad.count, "regression")): \(list)\(more)"
  }

  package var text: String {
    let isGood = comparison.regressions.isEmpty && comparison.invalidity == nil
    let head = paint.bold(isGood ? paint.green(verdict) : paint.red(verdict))
    let runs = [("before", comparison.before), ("after", comparison.after)].map { name, run in
      ["  \(name)", ComparisonText.words(run)]
    }
    let lines =
      Columns.text(runs, firstIsLeft: true, allLeft: true) + comparison.notes.map { "  \(paint.yellow("note")) \($0)" }
    let rows = [ComparisonText.heads] + shown.map(ComparisonText.cells)
    let table = zip([nil] + shown.map { Optional($0) }, Columns.text(rows, firstIsLeft: true, lastIsLeft: true)).map {
      row, line in
      switch row?.outcome {
      case .regression: paint.red("  " + line)
      case .better: paint.green("  " + line)
      default: "  " + line
      }
    }
    return ([head] + lines + [""] + table).flatMap { Columns.wrapped($0, to: width) }.joined(separator: "\n")
  }

  /// A table in the Markdown of GitHub and GitLab.
  package var markdown: String {
    let runs = [("before", comparison.before), ("after", comparison.after)].map {
      "- \($0): \(ComparisonText.escaped(ComparisonText.words($1)))"
    }
    let rows = shown.map { row in
      let cells = ComparisonText.cells(row).map(ComparisonText.escaped)
      return "| " + cells.map { row.outcome == .regression ? "**\($0)**" : $0 }.joined(separator: " | ") + " |"
    }
    return
      (["## \(ComparisonText.escaped(verdict))", ""] + runs + comparison.notes.map { "- \(ComparisonText.escaped($0))" }
      + ["", "| " + ComparisonText.heads.joined(separator: " | ") + " |", "|:--|--:|--:|--:|:--|"] + rows + [""])
      .joined(separator: "\n")
  }

  /// JUnit XML with a test case for each judged figure.
  package var junit: String {
    let judged = comparison.rows.filter { $0.outcome != .shown }
    let skipped = judged.count { if case .undecided = $0.outcome { true } else { false } }
    let counts = "tests=\"\(judged.count)\" failures=\"\(comparison.regressions.count)\" skipped=\"\(skipped)\""
    let cases = judged.map { row in
      let head = "    <testcase classname=\"compare\" name=\"\(XML.escaped(row.name))\""
      return switch row.outcome {
      case .regression:
        head + "><failure message=\"\(XML.escaped(ComparisonText.step(row)))\"/></testcase>"
      case .undecided(let reason): head + "><skipped message=\"\(XML.escaped(reason))\"/></testcase>"
      case .same, .better, .shown: head + "/>"
      }
    }
    return
      (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"compare\" \(counts)>"]
      + ["  <testsuite name=\"compare\" \(counts)>"] + cases + ["  </testsuite>", "</testsuites>", ""])
      .joined(separator: "\n")
  }
}

extension ComparisonText {
  static let heads = ["figure", "before", "after", "change", "result"]

  /// The rows without zeros in both runs, except for records.
  var shown: [RunComparison.Row] {
    comparison.rows.filter { $0.before != 0 || $0.after != 0 || $0.name == "records lost" }
  }

  static func cells(_ row: RunComparison.Row) -> [String] {
    let change = row.change.map(ComparisonText.change) ?? ""
    return [row.name, number(row.before, row), number(row.after, row), change, word(row.outcome)]
  }

  private static func number(_ value: Double?, _ row: RunComparison.Row) -> String {
    guard let value else { return "–" }
    if row.isPromise { return value == 1 ? "yes" : "no" }
    return MetricText.text(value, of: String(row.name.prefix { $0 != " " }))
  }

  static func step(_ row: RunComparison.Row) -> String {
    row.change.map(ComparisonText.change)
      ?? "\(number(row.before, row)) to \(number(row.after, row))"
  }

  /// `+4.8 %`, `-20 %`, `195 times`.
  private static func change(_ share: Double) -> String {
    if share >= 9 { return "\(NumberText.figure((share + 1).rounded())) times" }
    let percent = 100 * share.magnitude
    let text = NumberText.decimal(percent, places: percent < 9.95 ? 1 : 0)
    return text == "0.0" ? "0 %" : (share > 0 ? "+" : "-") + text + " %"
  }

  private static func word(_ outcome: RunComparison.Outcome) -> String {
    switch outcome {
    case .same: "same"
    case .better: "better"
    case .regression: "REGRESSION"
    case .undecided(let reason): "undecided: \(reason)"
    case .shown: ""
    }
  }

  /// Describes a run: scenario, end, time and place.
  static func words(_ run: RunSummary) -> String {
    let when = (run.place?.start ?? run.origin?.start).map { ", \($0.iso8601Text)" } ?? ""
    let target = run.place.map { " at \($0.target)" } ?? ""
    return "\(run.scenario)\(target): \(VerdictText(run).brief), \(NumberText.count(run.devices, "device")), "
      + "seed 0x\(String(run.seed, radix: 16)), rollingroad \(run.product)\(when)"
  }

  private static func escaped(_ text: String) -> String {
    text.map { "|<>*_`\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
