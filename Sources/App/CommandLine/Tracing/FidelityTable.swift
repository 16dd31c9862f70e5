import Base
import Fidelity
import Reports

/// A fidelity report as text: a line for each class, then the differences with their lines.
struct FidelityTable {
  let text: String

  /// `documented` is the report of the engine without quirks.
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
        "odometer", "\(whole(report.loggedMetres)) m", "\(whole(report.replayedMetres)) m", "",
        Self.percent(report.odometerError.map { 1 - $0 }), Self.percent(documented.odometerError.map { 1 - $0 })))
    for agreement in report.agreements { lines += Self.differences(of: agreement, limit: limit) }
    text = lines.joined(separator: "\n")
  }

  private static func differences(of agreement: Agreement, limit: Int) -> [String] {
    let all =
      (agreement.missing.map { (act: $0, side: "log only") }
      + agreement.extra.map { (act: $0, side: "engine only") })
      .sorted { ($0.act.line, $0.side) < ($1.act.line, $1.side) }
    guard !all.isEmpty else { return [] }
    var lines = ["", "\(agreement.kind.rawValue): \(all.count) differences"]
    for (act, side) in all.prefix(limit) {
      lines.append("  line \(act.line), \(clock(act.time)), \(side): \(act.what)")
    }
    if all.count > limit { lines.append("  … and \(all.count - limit) more") }
    return lines
  }

  /// The time of day as in the log.
  private static func clock(_ time: WallInstant) -> String { String(time.iso8601Text.dropFirst(11).dropLast()) }

  private static func row(_ name: String, _ columns: String...) -> String {
    columns.reduce(name + String(repeating: " ", count: max(0, 16 - name.count))) { line, column in
      line + String(repeating: " ", count: max(1, 12 - column.count)) + column
    }
  }

  /// No acts on either side are not an agreement, and infinite distances have no share.
  private static func percent(_ share: Double?) -> String {
    guard let share, share.isFinite else { return "–" }
    let tenths = Int((share * 1_000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
