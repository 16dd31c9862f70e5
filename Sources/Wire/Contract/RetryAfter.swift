package import Base

/// The delay that the answer of a busy server asks for.
package enum RetryAfter {
  /// Reads the delay of `head`, the header lines as received; nil when none of them sets one.
  package static func span(in head: [UInt8], at now: WallInstant) -> Nanoseconds? {
    // No other line break of Unicode ends a header line.
    for line in head.split(separator: UInt8(ascii: "\n")) {
      let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
      guard parts.count == 2, String(parts[0]).isSameName(HeaderName.retryAfter.description) else { continue }
      return span(of: String(parts[1].drop(while: isSpace).reversed().drop(while: isSpace).reversed()), at: now)
    }
    return nil
  }

  /// Reads the value of the header: seconds, or a date (RFC 9110 §10.2.3), where a past one means now; at most a day.
  package static func span(of value: String, at now: WallInstant) -> Nanoseconds? {
    if let date = WallInstant(httpDate: value, at: now) {
      return .milliseconds(min(max(0, date.milliseconds(since: now)), 86_400_000))
    }
    return Int64(value).flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil }
  }

  private static func isSpace(_ character: Character) -> Bool { [" ", "\t", "\r"].contains(character) }
}
