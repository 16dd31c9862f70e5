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
    let (word, kind) =
      switch summary.result {
      case .passed: ("Passed", "good")
      case .invalid: ("Invalid: the figures mean nothing", "bad")
      case .violated: ("Violated: something happened that must never happen", "bad")
      case .failed: ("Failed: a threshold was missed", "bad")
      case .stopped: ("Stopped by a signal", "open")
      case .uncovered: ("Not covered: what should have come up did not", "open")
      }
    let facts = [
      NumberText.count(summary.devices, "device"), "\(NumberText.span(summary.duration)), \(summary.mode)",
      "from \(summary.startText)", "seed 0x\(String(summary.seed, radix: 16))",
    ]
    return HTML.element(
      "header", "",
      [
        HTML.element("h1", "", [HTML.text(summary.scenario)]),
        HTML.element("p", "class=\"verdict \(kind)\"", [HTML.text(word)]),
        HTML.element("p", "class=\"soft\"", [HTML.text(facts.joined(separator: " · "))]), numbers,
      ])
  }

  /// The ledger first: where every record is.
  private var numbers: String {
    let always = ["created", "stored", "pending", "lost", "duplicateRows"]
    let parts = LedgerSums.parts.compactMap { part -> String? in
      let count = summary.ledger[keyPath: part.path]
      guard count > 0 || always.contains(part.name) else { return nil }
      let isBad = count > 0 && ["lost", "duplicateRows"].contains(part.name)
      return HTML.element(
        "div", isBad ? "class=\"bad\"" : "",
        [
          HTML.element("dt", "", [HTML.text(LedgerText.title(part.name))]),
          HTML.element("dd", "", [HTML.text(NumberText.count(count))]),
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
          [HTML.text("The same scenario, seed and version give the same hash: rollingroad simulate repeats it.")]),
      ])
  }
}
