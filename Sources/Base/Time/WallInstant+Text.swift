extension WallInstant {
  /// `2026-07-28T18:34:22.563Z`.
  package var iso8601Text: String {
    var bytes: [UInt8] = []
    append(iso8601To: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends 24 bytes, `2026-07-28T18:34:22.563Z`: the form in which the SDK writes every time.
  package func append(iso8601To bytes: inout [UInt8]) {
    let date = civilDate
    let millisecond = Int(millisecondOfDay)
    bytes.append(addingCapacity: 24) { text in
      text.append(digits: date.year / 100)
      text.append(digits: date.year % 100)
      text.append(UInt8(ascii: "-"))
      text.append(digits: date.month)
      text.append(UInt8(ascii: "-"))
      text.append(digits: date.day)
      text.append(UInt8(ascii: "T"))
      text.append(timeOfSecond: millisecond / 1_000)
      text.append(UInt8(ascii: "."))
      text.append(UInt8(ascii: "0") + UInt8(millisecond % 1_000 / 100))
      text.append(digits: millisecond % 100)
      text.append(UInt8(ascii: "Z"))
    }
  }

  /// Appends 29 bytes, `Sun, 06 Nov 1994 08:49:37 GMT`: IMF-fixdate, the only date form that a sender of HTTP may use
  /// (RFC 9110 §5.6.7). Milliseconds are cut off.
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

  private static let dayNames: [String] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let monthNames: [String] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Two digits of a number below 100.
  fileprivate mutating func append(digits number: Int) {
    append(UInt8(ascii: "0") + UInt8(number / 10))
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  fileprivate mutating func append(timeOfSecond second: Int) {
    append(digits: second / 3_600)
    append(UInt8(ascii: ":"))
    append(digits: second / 60 % 60)
    append(UInt8(ascii: ":"))
    append(digits: second % 60)
  }
}
