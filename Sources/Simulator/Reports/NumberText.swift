package import Base
package import FleetSimulator
import Oracle

/// Numbers in readable form.
package enum NumberText {
  /// `12,345`.
  package static func count(_ number: Int) -> String { number.grouped }

  /// `12,345 devices`, `1 device`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Three significant digits: `0.123`, `1.23`, `12.3`, `123`, `1,234`; two for small numbers: `0.0012`.
  package static func figure(_ number: Double) -> String {
    guard number.isFinite, number.magnitude < 1e15 else { return "\(number)" }
    let size = number.magnitude
    if size >= 99.95 || number == number.rounded() { return count(Int(number.rounded())) }
    var (places, scaled) = (size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3, size * 1_000)
    while places >= 3, scaled < 9.5, places < 6 { (places, scaled) = (places + 1, scaled * 10) }
    return decimal(number, places: places)
  }

  /// Formats with `places` decimals.
  package static func decimal(_ number: Double, places: Int) -> String {
    var factor = 1
    for _ in 0..<places { factor *= 10 }
    let scaled = Int((number.magnitude * Double(factor)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + count(scaled) }
    return "\(sign)\(count(scaled / factor)).\((scaled % factor).zeroPadded(to: places))"
  }

  /// `99.9 %`; nearly 100 % is not rounded up to it.
  package static func percent(_ share: Double) -> String {
    let percent = share * 100
    if percent == percent.rounded() { return "\(Int(percent)) %" }
    if percent < 0.095 { return figure(percent) + " %" }
    let text = decimal(percent, places: percent < 1 || percent > 99 ? 2 : 1)
    return (percent < 100 && text.hasPrefix("100") ? "99.99" : text) + " %"
  }

  /// `120 ms`, `1.24 s`, `12m 30s`, `2h 05m`.
  package static func span(milliseconds: Double) -> String {
    guard milliseconds.magnitude >= 0.001 else { return "0 ms" }
    if milliseconds < 999.5 { return figure(milliseconds) + " ms" }
    let seconds = milliseconds / 1_000
    if seconds < 99.95 { return figure(seconds) + " s" }
    return span(.seconds(Int64(seconds.rounded())))
  }

  /// `45 s`, `12m 30s`, `2h 05m`, `3d 04h`.
  package static func span(_ span: Nanoseconds) -> String {
    let seconds = span.count / 1_000_000_000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600:
      return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds / 60)m \((seconds % 60).zeroPadded(to: 2))s"
    case ..<86_400:
      return seconds / 60 % 60 == 0
        ? "\(seconds / 3_600)h" : "\(seconds / 3_600)h \((seconds / 60 % 60).zeroPadded(to: 2))m"
    default:
      return seconds / 3_600 % 24 == 0
        ? "\(seconds / 86_400)d" : "\(seconds / 86_400)d \((seconds / 3_600 % 24).zeroPadded(to: 2))h"
    }
  }

  /// `4.52 MB`.
  package static func bytes(_ bytes: Double) -> String {
    var (size, unit) = (bytes, 0)
    let units = ["B", "kB", "MB", "GB", "TB"]
    while size >= 999.5 && unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
    return figure(size) + " " + units[unit]
  }
}

/// The throughput of a run at its server, its upload failures, and its place and time.
enum RateText {
  /// Returns the uploads per second of the server's time first, then per second of the devices' time.
  static func uploads(_ count: Int, of summary: RunSummary) -> String {
    let simulated = NumberText.figure(Double(count) / max(summary.ended.seconds, 1)) + "/s"
    guard let place = summary.place, summary.mode != "realtime" else { return simulated }
    return "\(NumberText.figure(place.uploadsPerSecond))/s at the server, \(simulated) of the devices' time"
  }

  /// Returns the failures, most frequent first; empty when none failed.
  static func failures(of summary: RunSummary) -> String {
    summary.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key): \(NumberText.count($0.value))" }.joined(separator: ", ")
  }

  /// Returns the time and place of the run, its command line and its machine, as far as known, a line each.
  static func head(of summary: RunSummary) -> [String] {
    var lines: [String] = []
    if let (start, end) = summary.place.map({ ($0.start, $0.end) }) ?? summary.origin.map({ ($0.start, $0.end) }) {
      let milliseconds = Double(end.millisecondsSince1970 - start.millisecondsSince1970)
      lines.append(
        "\(start.iso8601Text) to \(end.iso8601Text), \(NumberText.span(milliseconds: milliseconds)) by the clock")
    }
    if let place = summary.place {
      lines.append("at \(place.target), server: \(place.server ?? "unknown")")
    }
    let product = "rollingroad \(summary.product)"
    lines.append(summary.origin.map { "\(product) on \($0.host)" } ?? product)
    return lines + (summary.origin.map { [$0.command] } ?? [])
  }
}

/// The divergence of two runs of one seed, or that there is none.
package struct DifferenceText {
  private let difference: DeterminismCheck.Difference?
  private let names: [String]

  /// `names` are the names of the run's devices, in order.
  package init(_ difference: DeterminismCheck.Difference?, names: [String]) {
    self.difference = difference
    self.names = names
  }

  package var text: String {
    guard let difference else { return "the second run was the same" }
    guard let number = (difference.first ?? difference.second)?.number else {
      return "two runs of this seed have the same events and different results: a rule or a sum differs"
    }
    var rows = [("first", difference.first), ("second", difference.second)].map { name, event in
      event.map { cells($0, name) } ?? [name, "is over"]
    }
    if let common = difference.common { rows.insert(cells(common, "both"), at: 0) }
    let lines = Columns.text(rows, firstIsLeft: true, allLeft: true).map { "  " + $0 }
    return (["two runs of this seed differ from event \(number) on:"] + lines + hint).joined(separator: "\n")
  }

  private func cells(_ event: TraceEvent, _ name: String) -> [String] {
    let content = String(event.content, radix: 16)
    return [name, event.instant.clockText, names[event.device], "\(event.kind)", "content \(content)"]
  }

  private var hint: [String] {
    guard let first = difference?.first, let second = difference?.second else { return [] }
    guard first.device == second.device, first.kind == second.kind else { return [] }
    return ["  the same event, " + (first.instant == second.instant ? "with other content" : "at another time")]
  }
}
