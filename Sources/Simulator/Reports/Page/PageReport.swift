import Base
package import FleetSimulator

/// The report of a run as one page that needs no network, no script and no other file.
package struct PageReport {
  let summary: RunSummary
  private let map: RunMap?

  package init(_ summary: RunSummary, map: RunMap?) {
    self.summary = summary
    self.map = map
  }

  package var text: String {
    // Nothing may be loaded or run: only the one style sheet with this word has an effect.
    let word = "r\(summary.hash.prefix(16))"
    let policy =
      "default-src 'none'; style-src 'nonce-\(word)'; base-uri 'none'; form-action 'none'"
    let head = [
      "<meta charset=\"utf-8\">", "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
      "<meta name=\"color-scheme\" content=\"light dark\">",
      HTML.element("title", "", [HTML.text("\(summary.scenario): \(summary.result)")]),
      HTML.element("style", "nonce=\"\(word)\"", [StyleSheet.text]),
    ]
    let body = [header, HTML.element("main", "", sections), footer]
    return "<!doctype html>\n<html lang=\"en\">"
      + HTML.element("head", "", head) + HTML.element("body", "", body) + "</html>\n"
  }

  private var sections: [String] {
    let mapped = map.map { [HTML.element("h2", "", [HTML.text("The city")]), MapDrawing(map: $0).html] } ?? []
    return charts + verdicts + remarks + mapped + figures
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
    let place = RateText.place(of: summary)
    let facts = [
      NumberText.count(summary.devices, "device"), "\(NumberText.span(summary.duration)), \(summary.mode)",
      "from \(summary.startText)", "seed 0x\(String(summary.seed, radix: 16))",
    ]
    return HTML.element(
      "header", "",
      [
        HTML.element("h1", "", [HTML.text(summary.scenario)]),
        HTML.element("p", "class=\"verdict \(kind)\"", [HTML.text(word)]),
        HTML.element("p", "class=\"soft\"", [HTML.text(facts.joined(separator: " · "))]),
        place.map { HTML.element("p", "class=\"soft\"", [HTML.text($0)]) } ?? "", numbers,
      ])
  }

  /// The ledger first: where every record is.
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
                : "A run at a real server does not repeat: its hash is its own, unless its latency is modelled.")
          ]),
      ])
  }
}
