/// Dates in header fields of HTTP (RFC 9110 §5.6.7).
extension WallInstant {
  private static let dayNames: [String] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let monthNames: [String] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Appends 29 bytes, `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate), the only form that a sender may generate.
  /// Milliseconds are truncated.
  package func append(imfFixdateTo bytes: inout [UInt8]) {
    let date = civilDate
    let second = Int(millisecondOfDay) / 1_000
    bytes.append(addingCapacity: 29) { text in
      text.append(WallInstant.dayNames[date.dayOfWeek - 1])
      text.append(", ")
      text.append(digits: date.day)
      text.append(" ")
      text.append(WallInstant.monthNames[date.month - 1])
      text.append(" ")
      text.append(digits: date.year / 100)
      text.append(digits: date.year % 100)
      text.append(" ")
      text.append(timeOfSecond: second)
      text.append(" GMT")
    }
  }

  /// Reads an IMF-fixdate, or one of the two obsolete forms, which recipients have to accept.
  package init?(httpDate text: String, at now: WallInstant) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let isInGMT = words.first?.hasSuffix(",") == true && words.last == "GMT"
    switch (words.count, isInGMT) {
    case (6, true):
      self.init(day: words[1], month: words[2], year: words[3], time: words[4])
    // `Sunday, 06-Nov-94 08:49:37 GMT`
    case (4, true):
      let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, let year = WallInstant.year(endingWith: date[2], at: now) else { return nil }
      self.init(day: date[0], month: date[1], year: "\(year)", time: words[2])
    // `Sun Nov  6 08:49:37 1994`, `Sun Nov 16 08:49:37 1994`
    case (6, false) where words[2].isEmpty:
      self.init(day: "0\(words[3])", month: words[1], year: words[5], time: words[4])
    case (5, false):
      self.init(day: words[2], month: words[1], year: words[4], time: words[3])
    default: return nil
    }
  }

  /// A year that would be more than 50 years ahead is one of the past.
  private static func year(endingWith digits: Substring, at now: WallInstant) -> Int? {
    guard digits.utf8.count == 2, let ending = Int(digits), ending >= 0 else { return nil }
    let current = now.civilDate.year
    let year = current / 100 * 100 + ending
    return year > current + 50 ? year - 100 : year
  }

  private init?(day: Substring, month name: Substring, year: Substring, time: Substring) {
    guard let month = WallInstant.monthNames.firstIndex(of: String(name)) else { return nil }
    self.init(iso8601: "\(year)-\((month + 1).zeroPadded(to: 2))-\(day)T\(time)Z".utf8.span)
  }
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }
}
