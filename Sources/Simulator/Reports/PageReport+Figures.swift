import Base
import FleetSimulator
import Scenario

extension PageReport {
  /// All figures; parts of metrics, such as those of fleets, are collapsed.
  var figures: [String] {
    let parts = summary.metrics.filter { $0.name.contains("{") }
    let folded =
      parts.isEmpty
      ? []
      : [
        HTML.element(
          "details", "class=\"gap\"",
          [
            HTML.element(
              "summary", "", [HTML.text("\(NumberText.count(parts.count, "figure")) by fleet and by tag")])
          ] + tables(of: parts, more: []))
      ]
    return [HTML.element("h2", "", [HTML.text("All figures")])]
      + tables(of: summary.metrics.filter { !$0.name.contains("{") }, more: uploads) + folded
  }

  private var uploads: [(String, [String])] {
    let rate = summary.place.map { place in
      (
        "",
        [
          "uploads in a second at the server",
          NumberText.figure(place.uploadsPerSecond),
        ]
      )
    }
    return (rate.map { [$0] } ?? [])
      + summary.answers.sorted { $0.key < $1.key }.map { ("", ["uploads: \($0.key)", NumberText.count($0.value)]) }
  }

  private func tables(of metrics: [MetricFigure], more: [(String, [String])]) -> [String] {
    var trends: [(String, [String])] = []
    var others: [(String, [String])] = []
    for metric in metrics {
      switch metric.figure {
      case .trend(let spread):
        guard spread.histogram.count > 0 else { continue }
        let values = [
          spread.value(.average), spread.percentile(50), spread.percentile(90), spread.percentile(95),
          spread.percentile(99), spread.value(.maximum),
        ]
        trends.append(
          (
            "",
            [metric.name, NumberText.count(Int(spread.histogram.count))]
              + values.map { $0.map { MetricText.text($0, of: metric.name) } ?? "–" }
          ))
      case .counter(let count): others.append(("", [metric.name, NumberText.count(count)]))
      case .rate(let hits, let total):
        let share = total > 0 ? NumberText.percent(Double(hits) / Double(total)) : "–"
        others.append(("", [metric.name, "\(share), \(NumberText.count(hits)) of \(NumberText.count(total))"]))
      case .gauge(let series):
        let (least, greatest) = (series.least ?? 0, series.greatest ?? 0)
        others.append(("", [metric.name, "\(NumberText.figure(least)) to \(NumberText.figure(greatest))"]))
      }
    }
    others += more
    return
      (trends.isEmpty
      ? []
      : [
        HTML.table(["metric", "count", "avg", "p50", "p90", "p95", "p99", "max"], trends, caption: "How values spread")
      ])
      + (others.isEmpty
        ? []
        : [HTML.element("div", "class=\"gap\"", [HTML.table(["metric", ""], others, caption: "Counts and shares")])])
  }
}
