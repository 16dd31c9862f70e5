/// Walks over a line of text from left to right.
struct TextScanner {
  private(set) var rest: Substring

  init(_ text: Substring) { rest = text }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ text: String) -> Bool {
    guard rest.utf8.starts(with: text.utf8) else { return false }
    rest = Substring(rest.utf8.dropFirst(text.utf8.count))
    return true
  }

  /// Goes behind the next occurrence; stays where it is when there is none.
  @discardableResult
  mutating func pass(_ text: String) -> Bool { upTo(text) != nil }

  /// What stands before the next occurrence, and goes behind it.
  mutating func upTo(_ text: String) -> Substring? {
    let needle = Array(text.utf8)
    var position = rest.utf8.startIndex
    while position < rest.utf8.endIndex {
      if rest.utf8[position...].starts(with: needle) {
        let before = rest[..<position]
        rest = rest[rest.utf8.index(position, offsetBy: needle.count)...]
        return before
      }
      position = rest.utf8.index(after: position)
    }
    return nil
  }

  /// A decimal number with an optional sign and fraction.
  mutating func number() -> Double? {
    let digits = rest.utf8.prefix { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    guard let value = Double(String(Substring(digits))) else { return nil }
    rest = Substring(rest.utf8.dropFirst(digits.count))
    return value
  }

  /// A number after a label that may stand anywhere further on.
  mutating func number(after label: String) -> Double? {
    var ahead = self
    guard ahead.pass(label), let value = ahead.number() else { return nil }
    self = ahead
    return value
  }

  mutating func integer() -> Int? {
    number().flatMap { Int(exactly: $0) }
  }

  mutating func integer(after label: String) -> Int? {
    number(after: label).flatMap { Int(exactly: $0) }
  }

  /// Up to the next space or the end.
  mutating func word() -> Substring {
    let word = rest.prefix { $0 != " " && $0 != "\n" }
    rest = rest.dropFirst(word.count)
    return word
  }
}
