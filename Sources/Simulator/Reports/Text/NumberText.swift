package import Base

/// Numbers as people read them.
package enum NumberText {
  /// `12,345`.
  package static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0 && (digits.count - place) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }

  /// `12,345 devices`, `1 device`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Three digits that matter: `0.123`, `1.23`, `12.3`, `123`, `1,234`.
  package static func figure(_ number: Double) -> String {
    guard number.isFinite, number.magnitude < 1e15 else { return "\(number)" }
    let size = number.magnitude
    if size >= 99.95 || number == number.rounded() { return count(Int(number.rounded())) }
    return decimal(number, places: size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3)
  }

  /// With so many digits behind the point.
  package static func decimal(_ number: Double, places: Int) -> String {
    var factor = 1
    for _ in 0..<places { factor *= 10 }
    let scaled = Int((number.magnitude * Double(factor)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + count(scaled) }
    let fraction = String(scaled % factor)
    return "\(sign)\(count(scaled / factor))." + String(repeating: "0", count: places - fraction.count) + fraction
  }

  /// `99.9 %`; what is nearly everything is not rounded to it.
  package static func percent(_ share: Double) -> String {
    let percent = share * 100
    if percent == percent.rounded() { return "\(Int(percent)) %" }
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
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds / 60)m \(two(seconds % 60))s"
    case ..<86_400:
      return seconds / 60 % 60 == 0 ? "\(seconds / 3_600)h" : "\(seconds / 3_600)h \(two(seconds / 60 % 60))m"
    default:
      return seconds / 3_600 % 24 == 0 ? "\(seconds / 86_400)d" : "\(seconds / 86_400)d \(two(seconds / 3_600 % 24))h"
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
