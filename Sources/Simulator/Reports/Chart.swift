import Base
import FleetSimulator

/// A line chart over the time of a run. The drawing scales to any width; labels are text of the page, so that they stay
/// readable on a phone. `ChartScript` redraws a part of the time from the embedded values.
struct Chart {
  /// A line; nil leaves a gap.
  struct Line {
    let name: String
    /// `a` to `d`: the colours of the style sheet.
    let colour: String
    let values: [Double?]
    var isFilled = false
  }

  let title: String
  let note: String
  let lines: [Line]
  let scale: ChartScale
  let timeline: Timeline
  let span: Nanoseconds
  let format: (Double) -> String

  private static let (width, height) = (720.0, 160.0)

  var html: String {
    let name = Chart.identifier(of: title)
    let legend = lines.map { line in
      HTML.element("span", "class=\"key \(line.colour)\"", [HTML.text(line.name)])
    }
    let drawing = HTML.element(
      "svg",
      "class=\"drawing\" viewBox=\"0 0 \(Int(Chart.width)) \(Int(Chart.height))\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"\(name)\" data-scale=\"\(HTML.text(scale.words(format)))\"",
      marks + grid + lines.flatMap(paths) + hovers)
    return HTML.element(
      "figure", isEmpty ? "class=\"chart\"" : "class=\"chart timed\"",
      [
        Chart.enlarging(title),
        HTML.element(
          "figcaption", "id=\"\(name)\"",
          [HTML.element("h3", "", [HTML.text(title)]), HTML.element("p", "", [HTML.text(note)])]),
        HTML.element("p", "class=\"legend\"", isEmpty ? [HTML.text("nothing measured")] : legend),
        HTML.element(
          "div", "class=\"plot\"",
          [yLabels, drawing]),
        HTML.element("svg", "class=\"axis\" aria-hidden=\"true\"", xLabels),
      ])
  }

  private var isEmpty: Bool { lines.allSatisfy { $0.values.allSatisfy { $0 == nil } } }

  /// Returns the id of a chart's element.
  static func identifier(of title: String) -> String {
    "chart-" + title.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
  }

  /// Returns charts that share the time of a run, with the controls for a closer look at an interval.
  static func overTime(_ charts: [String], after content: [String], timeline: Timeline, span: Nanoseconds) -> String {
    HTML.element(
      "section", "class=\"over-time\" data-span=\"\(span.seconds)\" data-width=\"\(timeline.width.seconds)\"",
      [HTML.element("h2", "", [HTML.text("Over time")])] + content
        + [
          HTML.element("div", "class=\"zoom\" role=\"group\" aria-label=\"Interval of the charts\" hidden", []),
          HTML.element("div", "class=\"charts\"", charts.filter { !$0.isEmpty }),
        ])
  }

  /// Returns a checkbox that enlarges a chart to the full width, with more height and more axis labels, without a script.
  static func enlarging(_ title: String) -> String {
    HTML.element(
      "label", "class=\"enlarge\"",
      ["<input type=\"checkbox\" aria-label=\"Enlarge \(HTML.text(title))\">", HTML.text("large")])
  }

  // MARK: Scales

  private func y(_ value: Double) -> Double { Chart.height * (1 - scale.share(of: value)) }

  private func x(_ span: Nanoseconds) -> Double {
    guard self.span > .zero else { return 0 }
    return Chart.width * min(max(span.seconds / self.span.seconds, 0), 1)
  }

  private func x(endOf interval: Int) -> Double { x(timeline.width * Int64(interval + 1)) }

  // MARK: Drawing

  private var grid: [String] {
    let level = scale.levels.dropFirst().map { level in
      let y = SVG.number(y(level))
      return "<line class=\"grid\" x1=\"0\" x2=\"\(Int(Chart.width))\" y1=\"\(y)\" y2=\"\(y)\"/>"
    }
    let upright = ticks.map { tick, isMinor in
      let x = SVG.number(x(tick))
      let kind = isMinor ? "grid minor" : "grid"
      return "<line class=\"\(kind)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(Int(Chart.height))\"/>"
    }
    return level + upright
  }

  private var marks: [String] {
    timeline.marks.map { mark in
      let (start, end) = (x(mark.from), max(x(mark.until), x(mark.from) + 1.5))
      return
        "<rect class=\"mark\" x=\"\(SVG.number(start))\" y=\"0\" width=\"\(SVG.number(end - start))\" height=\"\(Int(Chart.height))\"/>"
    }
  }

  private func paths(of line: Line) -> [String] {
    var pieces: [[(x: Double, y: Double)]] = [[]]
    for (index, value) in line.values.enumerated() {
      if let value {
        if pieces[pieces.count - 1].isEmpty { pieces[pieces.count - 1].append((x(endOf: index - 1), y(value))) }
        pieces[pieces.count - 1].append((x(endOf: index), y(value)))
      } else if !pieces[pieces.count - 1].isEmpty {
        pieces.append([])
      }
    }
    let drawn = pieces.filter { !$0.isEmpty }
    let outline = drawn.map { SVG.path($0) }.joined(separator: " ")
    let values = line.values.map { $0.map(SVG.precise) ?? "" }.joined(separator: ",")
    var paths = ["<path class=\"line \(line.colour)\" d=\"\(outline)\" data-values=\"\(values)\"/>"]
    if line.isFilled {
      let areas = drawn.map { piece in
        let base = [(piece[piece.count - 1].x, Chart.height), (piece[0].x, Chart.height)]
        return SVG.path(piece + base.map { (x: $0.0, y: $0.1) }) + "Z"
      }
      paths.insert("<path class=\"under \(line.colour)\" d=\"\(areas.joined(separator: " "))\"/>", at: 0)
    }
    return paths
  }

  /// The tooltips of the intervals.
  private var hovers: [String] {
    guard !isEmpty else { return [] }
    let bars = (0..<(lines.map(\.values.count).max() ?? 0)).map { index in
      let (start, end) = (x(endOf: index - 1), x(endOf: index))
      let values = lines.map { line in
        let value = index < line.values.count ? line.values[index] : nil
        return "\(line.name): \(value.map(format) ?? "–")"
      }
      let time = ClockText.text(timeline.width * Int64(index))
      let tip = HTML.element("title", "", [HTML.text(([time] + values).joined(separator: "\n"))])
      return HTML.element("rect", "x=\"\(SVG.number(start))\" width=\"\(SVG.number(end - start))\"", [tip])
    }
    return [HTML.element("g", "class=\"hover\"", bars)]
  }

  private var yLabels: String {
    SVG.levels(scale.levels.map { (share: scale.share(of: $0), text: format($0)) })
  }

  /// Round times, at most seven of them, and the midpoints, which only an enlarged chart shows.
  private var ticks: [(time: Nanoseconds, isMinor: Bool)] {
    let steps: [Int64] = [
      1, 2, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000,
    ]
    let seconds = span.count / 1_000_000_000
    let step = steps.first { seconds / $0 <= 6 } ?? max(seconds / 6, 1)
    guard step > 1 else { return (0...seconds).map { (Nanoseconds.seconds($0), false) } }
    return (0...seconds / (step / 2)).map { (Nanoseconds.seconds($0 * (step / 2)), $0 % 2 == 1) }
  }

  /// In percent of the width, so that the text keeps its size at any width.
  private var xLabels: [String] {
    ticks.enumerated().map { index, tick in
      let percent = 100 * x(tick.time) / Chart.width
      let anchor = percent < 2 ? "start" : percent > 96 ? "end" : "middle"
      // A phone has room for every other one.
      let kind = tick.isMinor ? "minor" : index / 2 % 2 == 0 ? "even" : "odd"
      return HTML.element(
        "text",
        "class=\"\(kind)\" x=\"\(SVG.number(percent))%\" y=\"13\" text-anchor=\"\(anchor)\"",
        [HTML.text(ClockText.text(tick.time))])
    }
  }
}

/// Times since the start of a run.
enum ClockText {
  /// `07:05` as hours and minutes; with seconds below an hour.
  static func text(_ span: Nanoseconds) -> String {
    let seconds = span.count / 1_000_000_000
    if seconds < 3_600 { return "\((seconds / 60).zeroPadded(to: 2)):\((seconds % 60).zeroPadded(to: 2))" }
    return "\(seconds / 3_600)h\((seconds / 60 % 60).zeroPadded(to: 2))"
  }
}

/// Numbers and paths in SVG notation.
enum SVG {
  /// Returns the labels on the left of a drawing; `share` is the height from the bottom.
  static func levels(_ levels: [(share: Double, text: String)]) -> String {
    let words = levels.map { level in
      let percent = number(100 - 100 * level.share)
      return HTML.element(
        "text", "x=\"100%\" dx=\"-8\" y=\"\(percent)%\" dy=\"4\" text-anchor=\"end\"", [HTML.text(level.text)])
    }
    return HTML.element("svg", "class=\"y\" aria-hidden=\"true\"", words)
  }

  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)" : "\(tenths < 0 && tenths > -10 ? "-" : "")\(tenths / 10).\((tenths % 10).magnitude)"
  }

  /// Formats with four significant digits.
  static func precise(_ value: Double) -> String {
    var factor = 1.0
    while value.magnitude * factor < 1_000, value != 0, factor < 1e9 { factor *= 10 }
    let rounded = (value * factor).rounded() / factor
    return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }

  static func path(_ points: [(x: Double, y: Double)]) -> String {
    points.enumerated().map { index, point in
      (index == 0 ? "M" : "L") + number(point.x) + " " + number(point.y)
    }.joined()
  }
}

/// The mapping of values to heights, between two round values, with round values at the grid lines.
struct ChartScale {
  enum Kind { case linear, logarithmic }

  private let kind: Kind
  private let least: Double
  private let greatest: Double
  /// The smallest positive value, and the greatest value, even if it is cut off.
  private let smallest: Double
  private let most: Double
  /// Whether a logarithmic scale reserves its lowest part for 0.
  private let hasZero: Bool
  /// The highest value, where it is so far above the others that they would be unreadable; nil: nothing is cut off.
  let cut: Double?
  /// From bottom to top, both included.
  let levels: [Double]

  init(_ kind: Kind, of values: [Double]) {
    self.kind = kind
    hasZero = kind == .logarithmic && values.contains { $0 <= 0 }
    var highest = values.max().flatMap { $0 > 0 ? $0 : nil } ?? 1
    most = highest
    smallest = values.filter { $0 > 0 }.min() ?? highest
    let usual = kind == .linear ? ChartScale.usual(of: values) : highest
    cut = highest > ChartScale.cutFactor * usual ? highest : nil
    if cut != nil { highest = 2 * usual }
    switch kind {
    case .linear:
      greatest = ChartScale.round(highest)
      least = 0
      levels = [0, 0.5 * greatest, greatest]
    case .logarithmic:
      let spans = ChartScale.roundMilliseconds
      let lowest = values.filter { $0 > 0 }.min() ?? highest / 10
      let first = max((spans.firstIndex { $0 > lowest } ?? spans.count) - 1, 0)
      let last = max(spans.firstIndex { $0 >= highest } ?? spans.count - 1, min(first + 2, spans.count - 1))
      (least, greatest) = (spans[first], spans[last])
      levels = (hasZero ? [0] : []) + ChartScale.thinned(Array(spans[first...last]))
    }
  }

  /// The multiple of the usual maximum above which a value is cut, because it would hide all others.
  private static let cutFactor = 10.0

  /// Returns the 99th percentile of the positive values.
  private static func usual(of values: [Double]) -> Double {
    let sorted = values.filter { $0 > 0 }.sorted()
    return sorted.isEmpty ? 1 : sorted[(sorted.count - 1) * 99 / 100]
  }

  private static let zeroShare = 0.12

  /// Returns the height, from 0 at the bottom to 1 at the top.
  func share(of value: Double) -> Double {
    guard kind == .logarithmic else { return min(max(value / greatest, 0), 1) }
    if hasZero, value <= 0 { return 0 }
    let share = PortableMath.log(max(value, least) / least) / PortableMath.log(greatest / least)
    let foot = hasZero ? ChartScale.zeroShare : 0
    return foot + (1 - foot) * min(max(share, 0), 1)
  }

  /// Returns the scales for parts of the values, with their labels, as JSON: the maxima of linear scales, or the steps at
  /// which a logarithmic one may begin and end.
  func words(_ format: (Double) -> String) -> String {
    func words(_ values: [Double]) -> String { values.map { "\"\(format($0))\"" }.joined(separator: ",") }
    switch kind {
    case .linear:
      var tops = [ChartScale.round(max(most, greatest))]
      while tops.count < ChartScale.scalesMax, let last = tops.last, last > smallest {
        tops.append(ChartScale.round(last * 0.49))
      }
      let list = tops.reversed().map { "{\"top\":\($0),\"words\":[\(words([0, 0.5 * $0, $0]))]}" }
      return "{\"whole\":\(greatest),\"tops\":[\(list.joined(separator: ","))]}"
    case .logarithmic:
      let steps = ChartScale.roundMilliseconds.filter { least <= $0 && $0 <= greatest }
      let list = steps.map { "{\"value\":\($0),\"text\":\(words([$0]))}" }.joined(separator: ",")
      return "{\"zeroShare\":\(ChartScale.zeroShare),\"zero\":\(words([0])),\"steps\":[\(list)]}"
    }
  }

  private static let scalesMax = 16

  /// Returns the next 1, 2, 2.5 or 5 times a power of ten.
  private static func round(_ value: Double) -> Double {
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    while power > value { power /= 10 }
    for step in [1.0, 2, 2.5, 5, 10] where step * power >= value { return step * power }
    return 10 * power
  }

  /// Beyond a minute, whole minutes and hours are round.
  private static let roundMilliseconds: [Double] = {
    let short: [Double] = [0.01, 0.1, 1, 10, 100, 1_000].flatMap { power in [1.0, 2, 5].map { $0 * power } }
    let long: [Double] = [
      10, 20, 60, 120, 300, 600, 1_200, 3_600, 7_200, 18_000, 36_000, 86_400, 259_200, 864_000, 8_640_000,
    ]
    return short + long.map { 1_000 * $0 }
  }()

  /// Returns at most four levels, including both ends.
  private static func thinned(_ levels: [Double]) -> [Double] {
    guard levels.count > 4 else { return levels }
    let last = levels.count - 1
    return [0, last / 3, 2 * last / 3, last].map { levels[$0] }
  }
}
