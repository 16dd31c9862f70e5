/// The values of a statement, in the binary formats of their types: integers, floating-point numbers and lengths are
/// big-endian.
package struct PostgresArguments {
  private(set) var bytes: [UInt8] = []
  private(set) var lengths: [Int32] = []

  package init() {}

  package mutating func add(_ value: Int64?) {
    guard let value else { return addNull() }
    bytes.append(bigEndian: UInt64(bitPattern: value))
    lengths.append(8)
  }

  package mutating func add(_ value: Bool) {
    bytes.append(value ? 1 : 0)
    lengths.append(1)
  }

  package mutating func add(_ text: String?) {
    guard let text else { return addNull() }
    let start = bytes.count
    PostgresText.append(text, to: &bytes)
    lengths.append(Int32(bytes.count - start))
  }

  package mutating func add(blob: [UInt8]) {
    bytes.append(contentsOf: blob)
    lengths.append(Int32(blob.count))
  }

  package mutating func add(_ array: PostgresArray) {
    lengths.append(Int32(array.append(to: &bytes)))
  }

  package mutating func addNull() { lengths.append(-1) }
}

/// A one-dimensional array: a header of five words, then each element after its length (`array_send` in PostgreSQL's
/// arrayfuncs.c).
package struct PostgresArray {
  /// The OIDs of pg_type.dat.
  package enum Element: UInt32 {
    case bool = 16, bytes = 17, int64 = 20, int32 = 23, text = 25, double = 701, uuid = 2950
  }

  private let element: Element
  package private(set) var count = 0
  private var hasNull = false
  private var bytes: [UInt8] = []

  package init(of element: Element, capacity: Int = 0) {
    self.element = element
    bytes.reserveCapacity(capacity * 12)
  }

  package mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    append(word: UInt64(bitPattern: value))
  }

  package mutating func append(_ value: Double?) {
    guard let value else { return appendNull() }
    append(word: value.bitPattern)
  }

  package mutating func append(_ value: Int32) {
    bytes.append(bigEndian: UInt64(4) << 32 | UInt64(UInt32(bitPattern: value)))
    count += 1
  }

  package mutating func append(_ value: Bool?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: UInt32(1))
    bytes.append(value ? 1 : 0)
    count += 1
  }

  package mutating func append(_ text: String?) {
    guard let text else { return appendNull() }
    let start = bytes.count
    bytes.append(bigEndian: UInt32(0))
    PostgresText.append(text, to: &bytes)
    let length = UInt32(bytes.count - start - 4)
    for shift in 0..<4 { bytes[start + shift] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * shift)) }
    count += 1
  }

  package mutating func append(blob: some Collection<UInt8>) {
    bytes.append(bigEndian: UInt32(blob.count))
    bytes.append(contentsOf: blob)
    count += 1
  }

  package mutating func append(uuidHigh high: UInt64, low: UInt64) {
    bytes.append(bigEndian: UInt32(16))
    bytes.append(bigEndian: high)
    bytes.append(bigEndian: low)
    count += 1
  }

  package mutating func appendNull() {
    bytes.append(bigEndian: UInt32.max)
    hasNull = true
    count += 1
  }

  private mutating func append(word: UInt64) {
    bytes.append(bigEndian: UInt32(8))
    bytes.append(bigEndian: word)
    count += 1
  }

  /// Returns the number of bytes appended.
  fileprivate func append(to output: inout [UInt8]) -> Int {
    // An empty array has no dimension.
    output.append(bigEndian: UInt32(count == 0 ? 0 : 1))
    output.append(bigEndian: UInt32(hasNull ? 1 : 0))
    output.append(bigEndian: element.rawValue)
    guard count > 0 else { return 12 }
    output.append(bigEndian: UInt32(count))
    output.append(bigEndian: UInt32(1))
    output.append(contentsOf: bytes)
    return 20 + bytes.count
  }
}

/// Texts as PostgreSQL stores them. Its `text` cannot contain U+0000, which names and events of untrusted clients may have: it
/// becomes U+10FFFF and a zero, and U+10FFFF becomes itself and a one.
package enum PostgresText {
  /// U+10FFFF in UTF-8.
  private static let escape: [UInt8] = [0xF4, 0x8F, 0xBF, 0xBF]

  package static func append(_ text: String, to bytes: inout [UInt8]) {
    guard text.utf8.contains(where: { $0 == 0 || $0 == escape[0] }) else { return bytes.append(contentsOf: text.utf8) }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\0": bytes += escape + [UInt8(ascii: "0")]
      case "\u{10FFFF}": bytes += escape + [UInt8(ascii: "1")]
      default: bytes.append(contentsOf: String(scalar).utf8)
      }
    }
  }

  package static func text(of bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(escape[0]), text.unicodeScalars.contains("\u{10FFFF}") else { return text }
    var plain = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        plain.append(scalar == "0" ? "\0" : "\u{10FFFF}")
        isEscaped = false
      } else if scalar == "\u{10FFFF}" {
        isEscaped = true
      } else {
        plain.append(scalar)
      }
    }
    return String(plain)
  }
}

extension [UInt8] {
  fileprivate mutating func append<Word: FixedWidthInteger>(bigEndian word: Word) {
    append(addingCapacity: Word.bitWidth / 8) { output in
      for shift in stride(from: Word.bitWidth - 8, through: 0, by: -8) {
        output.append(UInt8(truncatingIfNeeded: word >> Word(shift)))
      }
    }
  }
}
