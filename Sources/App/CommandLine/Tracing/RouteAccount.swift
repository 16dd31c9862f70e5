import Base
import Fidelity
import Formats
import Reports
import Scenario
import World

/// A recording's summary for people.
struct RouteAccount {
  private let summary: RouteSummary
  private let format: RouteFormat

  /// What is listed of gaps and of stops; more are counted.
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

/// A fidelity report as a person reads it: a line for each class, then the differences with their lines.
struct FidelityTable {
  let text: String

  /// `documented` is the report of the engine without habits.
  init(_ report: FidelityReport, documented: FidelityReport, limit: Int) {
    var lines: [String] = []
    if !report.isConfigured { lines.append("the log shows no configuration; the defaults are assumed") }
    lines.append(Self.row("", "log", "engine", "agree", "share", "documented"))
    for agreement in report.agreements {
      lines.append(
        Self.row(
          agreement.kind.rawValue, "\(agreement.matched + agreement.missing.count)",
          "\(agreement.matched + agreement.extra.count)", "\(agreement.matched)",
          Self.percent(agreement.share), Self.percent(documented[agreement.kind].share)))
    }
    lines.append(
      Self.row(
        "odometer", "\(Int(report.loggedMetres)) m", "\(Int(report.replayedMetres)) m", "",
        Self.percent(report.odometerError.map { 1 - $0 }), Self.percent(documented.odometerError.map { 1 - $0 })))
    for agreement in report.agreements { lines += Self.differences(of: agreement, limit: limit) }
    text = lines.joined(separator: "\n")
  }

  private static func differences(of agreement: Agreement, limit: Int) -> [String] {
    let all =
      (agreement.missing.map { (happening: $0, side: "log only") }
      + agreement.extra.map { (happening: $0, side: "engine only") })
      .sorted { ($0.happening.line, $0.side) < ($1.happening.line, $1.side) }
    guard !all.isEmpty else { return [] }
    var lines = ["", "\(agreement.kind.rawValue): \(all.count) differences"]
    for (happening, side) in all.prefix(limit) {
      lines.append("  line \(happening.line), \(clock(happening.time)), \(side): \(happening.what)")
    }
    if all.count > limit { lines.append("  … and \(all.count - limit) more") }
    return lines
  }

  /// The time of day as the log has it.
  private static func clock(_ time: WallInstant) -> String { String(time.iso8601Text.dropFirst(11).dropLast()) }

  private static func row(_ name: String, _ columns: String...) -> String {
    columns.reduce(name + String(repeating: " ", count: max(0, 16 - name.count))) { line, column in
      line + String(repeating: " ", count: max(1, 12 - column.count)) + column
    }
  }

  /// Nothing against nothing is no agreement.
  private static func percent(_ share: Double?) -> String {
    guard let share else { return "–" }
    let tenths = Int((share * 1_000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
