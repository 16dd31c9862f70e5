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

  /// A decimal number with an optional sign, fraction and exponent; Java writes small ones as `2.0E-4`.
  mutating func number() -> Double? {
    let bytes = rest.utf8
    var end = bytes.startIndex
    func pass(_ accepted: String) -> Bool {
      guard end < bytes.endIndex, accepted.utf8.contains(bytes[end]) else { return false }
      end = bytes.index(after: end)
      return true
    }
    func passDigits() -> Bool {
      let first = end
      while pass("0123456789") {}
      return end > first
    }
    _ = pass("+-")
    guard passDigits() else { return nil }
    var last = end
    if pass("."), passDigits() { last = end }
    end = last
    if pass("eE") {
      _ = pass("+-")
      if passDigits() { last = end }
    }
    guard let value = Double(String(rest[..<last])), value.isFinite else { return nil }
    rest = rest[last...]
    return value
  }

  /// A number after a label that may stand anywhere further on.
  mutating func number(after label: String) -> Double? {
    var ahead = self
    guard ahead.pass(label), let value = ahead.number() else { return nil }
    self = ahead
    return value
  }

  /// What stands before the end of a bracket that is open already, with the brackets inside it.
  mutating func upToClosing(_ opening: Character, _ closing: Character) -> Substring? {
    var depth = 1
    for index in rest.indices {
      if rest[index] == opening { depth += 1 }
      if rest[index] == closing { depth -= 1 }
      guard depth == 0 else { continue }
      let inner = rest[..<index]
      rest = rest[rest.index(after: index)...]
      return inner
    }
    return nil
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
