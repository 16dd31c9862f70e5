import Base
import Fidelity
import Formats
import Reports
import Scenario
import World

/// A recording's summary as text.
struct RouteAccount {
  private let summary: RouteSummary
  private let format: RouteFormat

  /// The maximum number of listed gaps and stops; the others are counted.
  private static let listed = 10

  init(_ summary: RouteSummary, format: RouteFormat) {
    (self.summary, self.format) = (summary, format)
  }

  var text: String {
    var lines = [RouteAccount.row("points", points)]
    if let duration = summary.duration {
      lines.append(RouteAccount.row("duration", NumberText.span(duration)))
    }
    lines.append(RouteAccount.row("distance", RouteAccount.length(summary.distanceMetres)))
    if summary.duration != nil {
      lines.append(RouteAccount.row("speed", speed))
      lines += list("gaps", summary.gaps) { gap in
        "\(NumberText.span(gap.duration)) after line \(gap.start.spot.line), "
          + "\(RouteAccount.length(gap.distanceMetres)) further on"
      }
      lines += list("stops", summary.stops) { stop in
        "\(NumberText.span(stop.duration)) from line \(stop.start.spot.line) on, at \(RouteAccount.place(stop.start.place))"
      }
    } else {
      lines.append(RouteAccount.row("times", timesMissing))
    }
    lines.append(RouteAccount.row("box", box))
    return lines.joined(separator: "\n")
  }

  private var points: String {
    let interval =
      summary.duration == nil || summary.pointCount < 2
      ? "" : ", one every \(NumberText.span(milliseconds: Double(summary.medianInterval.wholeMilliseconds)))"
    return "\(NumberText.count(summary.pointCount)) of \(format.rawValue)\(interval)"
  }

  private var timesMissing: String {
    let remedy = "a replay needs timing: \"modelled\""
    if let stepBack = summary.stepBack { return "go back at line \(stepBack.spot.line); \(remedy)" }
    if summary.timedCount == 0 { return "none; \(remedy)" }
    return "at \(NumberText.count(summary.timedCount)) of the points only; \(remedy)"
  }

  private var speed: String {
    var parts: [String] = []
    if let moving = summary.movingSpeed { parts.append("\(RouteAccount.speed(moving)) excluding stops") }
    if let (speed, point) = summary.fastest {
      parts.append("fastest \(RouteAccount.speed(speed)) at line \(point.spot.line)")
    }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  private var box: String {
    let bounds = summary.bounds
    return "\(RouteAccount.degrees(bounds.south)),\(RouteAccount.degrees(bounds.west)) to "
      + "\(RouteAccount.degrees(bounds.north)),\(RouteAccount.degrees(bounds.east))"
  }

  private func list(
    _ name: String, _ spans: [RouteSummary.Span], _ text: (RouteSummary.Span) -> String
  ) -> [String] {
    guard !spans.isEmpty else { return [RouteAccount.row(name, "none")] }
    let whole = spans.reduce(Nanoseconds.zero) { $0 + $1.duration }
    var lines = [RouteAccount.row(name, "\(spans.count), \(NumberText.span(whole)) in all")]
    lines += spans.prefix(RouteAccount.listed).map { RouteAccount.row("", text($0)) }
    if spans.count > RouteAccount.listed {
      lines.append(RouteAccount.row("", "… and \(spans.count - RouteAccount.listed) more"))
    }
    return lines
  }

  private static func row(_ name: String, _ text: String) -> String {
    "  \(name)\(String(repeating: " ", count: 10 - name.count))\(text)"
  }

  private static func length(_ metres: Double) -> String {
    metres < 1_000 ? "\(Int(metres.rounded())) m" : "\(NumberText.figure(metres / 1_000)) km"
  }

  private static func speed(_ metresPerSecond: Double) -> String { "\(NumberText.figure(metresPerSecond * 3.6)) km/h" }

  private static func degrees(_ number: Double) -> String { NumberText.decimal(number, places: 5) }

  private static func place(_ place: Coordinate) -> String { "\(degrees(place.latitude)),\(degrees(place.longitude))" }
}
