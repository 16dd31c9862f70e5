import Base
package import FleetSimulator
import Oracle
import Scenario

/// The report of a run as a page that needs no network and no other file, and shows everything without scripts, too.
package struct PageReport {
  let summary: RunSummary
  private let map: RunMap?

  package init(_ summary: RunSummary, map: RunMap?) {
    self.summary = summary
    self.map = map
  }

  package var text: String {
    HTML.page(
      title: "\(summary.scenario): \(summary.result)", word: "r\(summary.hash.prefix(16))",
      body: [header, HTML.element("main", "", sections), footer])
  }

  private var sections: [String] {
    let mapped = map.map { [HTML.element("h2", "", [HTML.text("The city")]), MapDrawing(map: $0).html] } ?? []
    return errors + charts + verdicts + remarks + mapped + figures
  }

  private var header: String {
    let verdict = VerdictText(summary)
    let kind =
      switch verdict.kind {
      case .good: "good"
      case .bad: "bad"
      case .open: "open"
      }
    let word = verdict.line.prefix(1).uppercased() + verdict.line.dropFirst()
    let planned =
      summary.ending == .stopped ? ", stopped by hand before the planned \(NumberText.span(summary.duration))" : ""
    let facts = [
      NumberText.count(summary.devices, "device"), "\(NumberText.span(summary.drives))\(planned), \(summary.mode)",
      "simulated from \(summary.startText)", "seed 0x\(String(summary.seed, radix: 16))",
    ]
    return HTML.element(
      "header", "",
      [
        HTML.element("h1", "", [HTML.text(summary.scenario)]),
        HTML.element("p", "class=\"verdict \(kind)\"", [HTML.text(word)]),
        HTML.element("p", "class=\"soft\"", [HTML.text(facts.joined(separator: " · "))]),
      ] + RateText.head(of: summary).map { HTML.element("p", "class=\"soft\"", [HTML.text($0)]) } + [missed, numbers])
  }

  /// The missed thresholds and checks, at a prominent place.
  private var missed: String {
    let missed = summary.thresholds.filter { $0.outcome == .failed }
    guard !missed.isEmpty else { return "" }
    let head = "\(missed.count) of \(NumberText.count(summary.thresholds.count, "threshold")) missed"
    return HTML.element("p", "", [HTML.text(head)])
      + HTML.element(
        "ul", "class=\"missed\"", missed.map { HTML.element("li", "", [HTML.text(MetricText.sentence($0))]) })
  }

  /// The errors by name, with a sample of each.
  private var errors: [String] {
    guard !summary.errors.isEmpty else { return [] }
    let rows = summary.errors.map { ("bad", ErrorText.cells($0, of: summary)) }
    let samples = summary.errors.prefix(10).map { error in
      HTML.element(
        "details", "",
        [
          HTML.element("summary", "", [HTML.text("\(error.kind), for example \(ErrorText.sample(error))")]),
          HTML.element("pre", "", [HTML.text(error.sample.body.isEmpty ? "no body" : error.sample.body)]),
        ])
    }
    return [
      HTML.element("h2", "", [HTML.text("Errors")]),
      HTML.element("div", "class=\"words\"", [HTML.table(ErrorText.heads, rows, caption: "Requests without a 2xx")]),
    ] + samples
  }

  /// The ledger first: the number of records in each state.
  private var numbers: String {
    let parts = LedgerText.parts(summary).map { part in
      HTML.element(
        "div", part.isBad ? "class=\"bad\"" : "",
        [
          HTML.element("dt", "", [HTML.text(part.title)]),
          HTML.element("dd", "", [HTML.text(NumberText.count(part.count))]),
        ])
    }
    return HTML.element("dl", "class=\"numbers\" aria-label=\"records\"", parts)
  }

  private var footer: String {
    HTML.element(
      "footer", "",
      [
        HTML.element(
          "p", "", [HTML.text("Rolling Road \(summary.product) · hash "), HTML.element("code", "", [summary.hash])]),
        HTML.element(
          "p", "",
          [
            HTML.text(
              summary.mode == "virtual"
                ? "The same scenario, seed and version give the same hash: rollingroad simulate repeats it."
                : "A run against a real server is not repeatable, unless its latency is modelled.")
          ]),
      ])
  }
}

extension PageReport {
  var verdicts: [String] {
    var parts: [String] = []
    if !summary.thresholds.isEmpty { parts.append(thresholds) }
    if !summary.checks.isEmpty { parts.append(checks) }
    if !summary.findings.isEmpty { parts.append(findings) }
    if !summary.invariants.isEmpty {
      parts.append(invariants(.server, caption: "Invariants about the server"))
      parts.append(invariants(.phone, caption: "Invariants about the simulator's phones"))
    }
    if !summary.clauses.isEmpty { parts.append(clauses) }
    if !summary.coverage.isEmpty { parts.append(coverage) }
    guard !parts.isEmpty || !summary.violations.isEmpty else { return [] }
    return [HTML.element("h2", "", [HTML.text("Pass criteria")])] + stories
      + parts.map { HTML.element("div", "class=\"gap words\"", [$0]) }
  }

  private var stories: [String] {
    SimilarViolations.groups(of: summary.violations).map { group in
      let violation = group.first
      let record = violation.uuid.map { ", record \($0)" } ?? ""
      return HTML.element(
        "article", "class=\"story\"",
        [
          HTML.element("h3", "", [HTML.text("\(violation.invariant): device \(violation.device)\(record)")]),
          HTML.element("p", "", [HTML.prose(Invariant(rawValue: violation.invariant)?.rule ?? "")]),
          HTML.element("ol", "", violation.story.map { HTML.element("li", "", [HTML.text($0)]) }),
          group.sentence.map { HTML.element("p", "class=\"soft\"", [HTML.text($0)]) } ?? "",
        ])
    } + again
  }

  private var again: [String] {
    guard let replay = summary.replay else { return [] }
    return [HTML.element("p", "", [HTML.text("Again: "), HTML.element("code", "", [HTML.text(replay)])])]
  }

  /// Records lost by the SDK's own rules, and what the run could not do or does not know.
  var remarks: [String] {
    guard !summary.remarks.isEmpty || !summary.notes.isEmpty else { return [] }
    let lost = summary.remarks.map { remark in
      let record = remark.uuid.map { ", record \($0)" } ?? ""
      return "Lost on the way: device \(remark.device)\(record). " + remark.story.joined(separator: "; ")
    }
    return [
      HTML.element("h2", "", [HTML.text("Remarks")]),
      HTML.element("ul", "", (summary.notes + lost).map { HTML.element("li", "", [HTML.text($0)]) }),
    ]
  }

  private var thresholds: String {
    let rows = summary.thresholds.map { verdict in
      let (kind, word) =
        switch verdict.outcome {
        case .passed: ("good", "✓ passed")
        case .failed: ("bad", verdict.endedTheRun ? "✗ failed, ended the run" : "✗ failed")
        case .notMeasured: ("open", "– nothing measured")
        case .notJudged: ("open", "– not judged")
        }
      let value = verdict.value == nil ? "–" : MetricText.text(verdict)
      return (kind, [verdict.selection, MetricText.expression(verdict), value, word])
    }
    return HTML.table(["metric", "threshold", "was", "result"], rows, caption: "Thresholds")
  }

  private var checks: String {
    let rows = summary.checks.map { check in
      let total = check.held + check.failed
      let share = total > 0 ? NumberText.percent(Double(check.held) / Double(total)) : "–"
      return (
        check.failed > 0 ? "bad" : total > 0 ? "good" : "open",
        [check.name, NumberText.count(check.held), NumberText.count(check.failed), share]
      )
    }
    return HTML.table(["check", "held", "did not", "share"], rows, caption: "Checks of every answer")
  }

  private var findings: String {
    HTML.table(
      ["finding", ""], summary.findings.map { ("bad", [$0.name, $0.text]) }, caption: "Findings about the server")
  }

  /// The clauses that were tested, and those that could not be judged.
  private var clauses: String {
    let rows = summary.clauses.compactMap { clause -> (String, [String])? in
      let name = "\(clause.number). \(clause.rule)"
      switch clause.outcome {
      case .kept: return ("good", [name, "in \(NumberText.count(clause.judged, "answer"))", "✓ kept"])
      case .broken:
        return ("bad", [name, clause.detail ?? "", "✗ broken in \(clause.broken) of \(clause.judged)"])
      case .notJudged:
        return ("open", [name, "header fields are not available in this kind of run", "– could not be judged here"])
      case .notSeen: return nil
      }
    }
    return HTML.table(["clause", "", "result"], rows, caption: "Rules for the server's answers")
  }

  private func invariants(_ subject: Invariant.Subject, caption: String) -> String {
    let rows = summary.invariants.filter { $0.subject == subject }.map { verdict in
      let rule = Invariant(rawValue: verdict.name)?.rule ?? ""
      let (kind, result) =
        switch verdict.outcome {
        case .held: ("good", "✓ held, checked \(NumberText.count(verdict.exercised, "time"))")
        case .violated: ("bad", "✗ violated \(NumberText.count(verdict.violations, "time"))")
        case .notExercised: ("open", "– not exercised" + (verdict.reason.map { ": \($0)" } ?? ""))
        case .notJudged: ("open", "– not judged" + (verdict.reason.map { ": \($0)" } ?? ""))
        }
      return (kind, [verdict.name, rule, result])
    }
    return HTML.table(["invariant", "what must hold", "result"], rows, caption: caption)
  }

  private var coverage: String {
    let rows = summary.coverage.map { goal in
      (
        goal.seen > 0 ? "good" : "bad",
        [goal.goal, goal.seen > 0 ? "seen \(NumberText.count(goal.seen, "time"))" : "never seen"]
      )
    }
    return HTML.table(["must come up", "result"], rows, caption: "Coverage")
  }
}

/// Parts of a page. Everything that is not markup is escaped by `text`.
enum HTML {
  static func text(_ text: String) -> String { XML.escaped(text) }

  /// Formats names in backticks as code.
  static func prose(_ words: String) -> String {
    let parts = words.split(separator: "`", omittingEmptySubsequences: false).map { text(String($0)) }
    guard parts.count % 2 == 1 else { return text(words) }
    return parts.enumerated().map { $0 % 2 == 1 ? element("code", "", [$1]) : $1 }.joined()
  }

  /// Returns an element; `attributes` are written unescaped: class names, numbers.
  static func element(_ name: String, _ attributes: String = "", _ content: [String]) -> String {
    "<\(name)\(attributes.isEmpty ? "" : " " + attributes)>\(content.joined())</\(name)>"
  }

  /// Returns a page. Nothing may be loaded, and nothing may run but the one script for charts; it and the style sheet
  /// carry the nonce `word`.
  static func page(title: String, word: String, body: [String]) -> String {
    let policy =
      "default-src 'none'; style-src 'nonce-\(word)'; script-src 'nonce-\(word)'; base-uri 'none'; form-action 'none'"
    let head = [
      "<meta charset=\"utf-8\">", "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
      "<meta name=\"color-scheme\" content=\"light dark\">",
      element("title", "", [text(title)]), element("style", "nonce=\"\(word)\"", [StyleSheet.text]),
    ]
    let script = element("script", "nonce=\"\(word)\"", [ChartScript.text])
    return "<!doctype html>\n<html lang=\"en\">" + element("head", "", head) + element("body", "", body + [script])
      + "</html>\n"
  }

  /// Cells are text; a row's class determines its colour. On a phone, rows of many columns become cards of pairs.
  static func table(_ heads: [String], _ rows: [(className: String, cells: [String])], caption: String) -> String {
    let isStacked = heads.count >= 5
    let head = element("tr", "", heads.map { element("th", "scope=\"col\"", [text($0)]) })
    let body = rows.map { row in
      element(
        "tr", row.className.isEmpty ? "" : "class=\"\(row.className)\"",
        row.cells.enumerated().map { index, cell in
          index == 0
            ? element("th", "scope=\"row\"", [prose(cell)])
            : element("td", isStacked ? "data-head=\"\(text(heads[index]))\"" : "", [prose(cell)])
        })
    }
    // A scrollable area must be reachable by keyboard.
    return element(
      "div", "class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"\(text(caption))\"",
      [
        element(
          "table", isStacked ? "class=\"stacked\"" : "",
          [
            element("caption", "", [text(caption)]), element("thead", "", [head]), element("tbody", "", body),
          ])
      ])
  }
}
