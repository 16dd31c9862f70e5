import Base
import FleetSimulator

/// A page that compares two runs, with overlaid charts. It needs no network and no other file.
package struct ComparisonPage {
  private let comparison: RunComparison

  package init(_ comparison: RunComparison) { self.comparison = comparison }

  package var text: String {
    let words = ComparisonText(comparison)
    let isBad = !comparison.regressions.isEmpty
    let runs = [("before", comparison.before), ("after", comparison.after)].map { name, run in
      HTML.element("p", "class=\"soft\"", [HTML.text("\(name): \(ComparisonText.words(run))")])
    }
    let header = HTML.element(
      "header", "",
      [
        HTML.element("h1", "", [HTML.text("\(comparison.before.scenario), compared")]),
        HTML.element("p", "class=\"verdict \(isBad ? "bad" : "good")\"", [HTML.text(words.verdict)]),
      ] + runs)
    let rows = words.shown.map { row in
      let kind =
        switch row.outcome {
        case .regression: "bad"
        case .better: "good"
        case .undecided: "open"
        case .same, .shown: ""
        }
      return (kind, ComparisonText.cells(row))
    }
    let notes = HTML.element("ul", "", comparison.notes.map { HTML.element("li", "", [HTML.text($0)]) })
    let main = HTML.element(
      "main", "",
      [
        HTML.element("h2", "", [HTML.text("Figures")]), notes,
        HTML.element(
          "div", "class=\"compared\"", [HTML.table(ComparisonText.heads, rows, caption: "Both runs, figure by figure")]),
        HTML.element("h2", "", [HTML.text("Distributions")]), HTML.element("div", "class=\"charts\"", distributions),
        overTime,
      ])
    return HTML.page(
      title: "\(comparison.before.scenario), compared: \(words.verdict)", word: "c\(comparison.after.hash.prefix(16))",
      body: [header, main])
  }

  /// From the histograms of the whole runs.
  private var distributions: [String] {
    ["upload_duration", "record_delivery_latency", "upload_wait", "drain_time"].compactMap { name in
      guard case .trend(let before)? = comparison.before.figure(name),
        case .trend(let after)? = comparison.after.figure(name)
      else { return nil }
      return PercentileChart(title: name, before: before, after: after).html
    }
  }

  private var longer: RunSummary {
    [comparison.before, comparison.after].max { $0.ended < $1.ended } ?? comparison.after
  }
  private var span: Nanoseconds { max(longer.ended, .seconds(1)) }

  private var overTime: String {
    guard comparison.before.timeline.width == comparison.after.timeline.width else {
      return HTML.element("h2", "", [HTML.text("Over time")])
        + HTML.element("p", "", [HTML.text("The intervals of the two timelines differ: they share no chart.")])
    }
    return Chart.overTime(charts, after: [], timeline: longer.timeline, span: span)
  }

  private var charts: [String] {
    func perSecond(_ path: KeyPath<Timeline.Interval, Int>) -> (Timeline) -> [Double?] {
      { timeline in timeline.intervals.map { Double($0[keyPath: path]) / timeline.width.seconds } }
    }
    func p95(_ path: KeyPath<Timeline.Interval, StepSpread>) -> (Timeline) -> [Double?] {
      { timeline in timeline.intervals.map { $0[keyPath: path].percentile(95) } }
    }
    return [
      chart("Upload duration", "95th percentile, logarithmic scale.", p95(\.uploadDuration), .logarithmic),
      chart("Delivery latency", "95th percentile, logarithmic scale.", p95(\.deliveryLatency), .logarithmic),
      chart("Uploads per second", "", perSecond(\.uploads)),
      chart("Uploads without a 2xx, per second", "", perSecond(\.failed)),
      chart("Backlog", "Records waiting in all devices.") { $0.intervals.map { Double($0.backlog) } },
    ]
  }

  private func chart(
    _ title: String, _ note: String, _ values: (Timeline) -> [Double?], _ scale: ChartScale.Kind = .linear
  ) -> String {
    let lines = [
      Chart.Line(name: "before", colour: "b", values: values(comparison.before.timeline)),
      Chart.Line(name: "after", colour: "a", values: values(comparison.after.timeline)),
    ]
    let format: (Double) -> String =
      if case .logarithmic = scale { { NumberText.span(milliseconds: $0) } } else { { NumberText.figure($0) } }
    let scale = ChartScale(scale, of: lines.flatMap(\.values).compactMap(\.self))
    return Chart(
      title: title, note: note, lines: lines, scale: scale,
      timeline: longer.timeline, span: span, format: format
    ).html
  }
}
