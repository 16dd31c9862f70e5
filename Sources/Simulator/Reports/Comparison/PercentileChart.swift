import Base
import FleetSimulator

/// A chart of a time of two runs by percentile, rarer values to the right. Both axes are logarithmic.
struct PercentileChart {
  let title: String
  let before: Spread
  let after: Spread

  private static let (width, height) = (720.0, 160.0)
  private static let shares = [0.0, 50, 90, 99, 99.9, 99.99]
  /// The number of points for each tenfold rarity.
  private static let steps = 24

  /// Returns percentiles from 0 up, at rising rarity, as far as a run has samples.
  private func shares(of spread: Spread) -> [Double] {
    let last = PercentileChart.place(of: 100 - 100 / Double(max(spread.histogram.count, 2)))
    let count = Int(min(last, 4) * Double(PercentileChart.steps))
    return (0...max(count, 1)).map {
      100 - 100 / PortableMath.exp(Double($0) / Double(PercentileChart.steps) * PercentileChart.ten)
    }
  }

  private static let ten = PortableMath.log(10)

  /// 0 for 0 %, 1 for 90 %, 2 for 99 %.
  private static func place(of share: Double) -> Double { -PortableMath.log(max(1 - share / 100, 1e-4)) / ten }

  var html: String {
    let runs = [("before", "b", before), ("after", "a", after)].map { name, colour, spread in
      (
        name: name, colour: colour,
        points: shares(of: spread).compactMap { share in
          spread.percentile(share).map { (share: share, value: $0) }
        }
      )
    }
    let scale = ChartScale(.logarithmic, of: runs.flatMap { $0.points.map(\.value) })
    let paths = runs.map { run in
      let points = run.points.map { point in
        (
          x: PercentileChart.width * PercentileChart.place(of: point.share) / 4,
          y: PercentileChart.height * (1 - scale.share(of: point.value))
        )
      }
      return "<path class=\"line \(run.colour)\" d=\"\(SVG.path(points))\"/>"
    }
    let name = Chart.identifier(of: title)
    return HTML.element(
      "figure", "class=\"chart\"",
      [
        HTML.element(
          "figcaption", "id=\"\(name)\"",
          [
            HTML.element("h3", "", [HTML.text(title)]),
            HTML.element("p", "", [HTML.text("By percentile; both scales are logarithmic.")]),
          ]),
        HTML.element(
          "p", "class=\"legend\"",
          runs.map { HTML.element("span", "class=\"key \($0.colour)\"", [HTML.text($0.name)]) }),
        HTML.element(
          "div", "class=\"plot\"",
          [
            SVG.levels(scale.levels.map { (share: scale.share(of: $0), text: NumberText.span(milliseconds: $0)) }),
            HTML.element(
              "svg",
              "viewBox=\"0 0 \(Int(PercentileChart.width)) \(Int(PercentileChart.height))\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"\(name)\"",
              grid(scale) + paths),
          ]),
        HTML.element("svg", "class=\"axis\" aria-hidden=\"true\"", labels),
      ]) + table
  }

  private func grid(_ scale: ChartScale) -> [String] {
    scale.levels.dropFirst().map { level in
      let y = SVG.number(PercentileChart.height * (1 - scale.share(of: level)))
      return "<line class=\"grid\" x1=\"0\" x2=\"\(Int(PercentileChart.width))\" y1=\"\(y)\" y2=\"\(y)\"/>"
    }
  }

  private var labels: [String] {
    PercentileChart.shares.map { share in
      let percent = 25 * PercentileChart.place(of: share)
      let anchor = percent < 2 ? "start" : percent > 96 ? "end" : "middle"
      // On a phone p0 and p50 do not fit side by side.
      return HTML.element(
        "text", "\(share == 0 ? "class=\"odd\" " : "")x=\"\(SVG.number(percent))%\" y=\"13\" text-anchor=\"\(anchor)\"",
        [HTML.text("p\(share == share.rounded() ? "\(Int(share))" : "\(share)")")])
    }
  }

  /// The values as a table.
  private var table: String {
    let shares = [50.0, 75, 90, 95, 99, 99.9]
    let rows = shares.map { share -> (String, [String]) in
      let values = [before, after].map { $0.percentile(share).map { NumberText.span(milliseconds: $0) } ?? "–" }
      return ("", ["p\(share == share.rounded() ? "\(Int(share))" : "\(share)")"] + values)
    }
    return HTML.element("div", "", [HTML.table(["percentile", "before", "after"], rows, caption: title)])
  }
}
