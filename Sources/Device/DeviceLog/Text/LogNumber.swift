import Base

/// Numbers as the SDK's logs show them.
enum LogNumber {
  /// With so many digits behind the point; what no log of a device holds, infinity for instance, is written as -1.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return fixed(-1, digits) }
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int64((value * scale).rounded())
    let magnitude = scaled.magnitude
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return sign + String(magnitude) }
    let fraction = String(magnitude % UInt64(scale))
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(sign)\(magnitude / UInt64(scale)).\(zeros)\(fraction)"
  }

  static func flag(_ value: Bool) -> String { value ? "1" : "0" }
}
