/// A text as the key of a table. SQLite and PostgreSQL compare texts by their bytes, String by canonical equivalence (Unicode
/// §3.12): "é" as one scalar and as two would be one key here, and two rows there.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  @inlinable
  package static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(exactly: text) }
}

extension String {
  /// Returns whether both have the same UTF-8. False for nil.
  @inlinable
  package func isExactly(_ other: String?) -> Bool {
    guard let other else { return false }
    let (bytes, others) = (utf8.span, other.utf8.span)
    guard bytes.count == others.count else { return false }
    // An upload looks up its device several times: byte by byte would take twice as long as String's own comparison.
    var index = 0
    while index &+ 8 <= bytes.count {
      if bytes.littleWord(at: index) != others.littleWord(at: index) { return false }
      index &+= 8
    }
    while index < bytes.count {
      if bytes[index] != others[index] { return false }
      index &+= 1
    }
    return true
  }
}

extension Hasher {
  /// Hashes the UTF-8 of the text and a byte that occurs in no UTF-8, so that the boundary between two texts counts as well.
  @inlinable
  package mutating func combine(exactly text: String) {
    let bytes = text.utf8.span
    var index = 0
    while index &+ 8 <= bytes.count {
      combine(bytes.littleWord(at: index))
      index &+= 8
    }
    while index < bytes.count {
      combine(bytes[index])
      index &+= 1
    }
    combine(0xFF as UInt8)
  }
}
