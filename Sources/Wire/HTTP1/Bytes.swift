extension Span<UInt8> {
  /// Compares byte for byte, case-sensitively.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in indices where unsafe text.utf8Start[index] != self[index] { return false }
    return true
  }

  /// Compares field names, ignoring case on both sides (RFC 9110 §5.1).
  package func isSameName(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount else { return false }
    for index in indices {
      let other = unsafe name.utf8Start[index]
      let isLetter = (self[index] | 0x20) &- UInt8(ascii: "a") < 26
      guard self[index] == other || (isLetter && self[index] ^ other == 0x20) else { return false }
    }
    return true
  }

  /// Compares ignoring the case of ASCII letters, as for field names, codings and options. `text` must be in lower case and
  /// consist of letters, digits and the punctuation from "-" to ":"; the bytes of the span must contain no controls. Then
  /// setting the bit that distinguishes the cases makes exactly the equal ones equal, and eight bytes can be compared at once.
  package func equals(lowercase text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    guard count >= 8 else {
      for index in indices where unsafe text.utf8Start[index] != self[index] | 0x20 { return false }
      return true
    }
    let pattern = unsafe UnsafeRawPointer(text.utf8Start)
    var index = 0
    while true {
      let theirs = unsafe UInt64(littleEndian: pattern.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if unsafe word(at: index) | 0x2020_2020_2020_2020 != theirs { return false }
      if index == count - 8 { return true }
      index = min(index + 8, count - 8)
    }
  }

  /// Returns the first line feed in `start..<end`. Eight bytes at a time: incomplete heads are searched again at every arrival.
  func firstLineFeed(from start: Int, to end: Int) -> Int? {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index &+ 8 <= end {
      let difference = unsafe word(at: index) ^ 0x0A0A_0A0A_0A0A_0A0A
      let hits = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      // A borrow can only raise flags above the first true one, so the lowest flag is always right.
      if hits != 0 { return index + hits.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end {
      if self[index] == .lineFeed { return index }
      index &+= 1
    }
    return nil
  }

  /// Returns the first byte in `start..<end` that is below space or DEL; `end` when there is none.
  @inline(__always)
  func firstControl(from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index &+ 8 <= end {
      let eight = unsafe word(at: index)
      let seven = eight & 0x7F7F_7F7F_7F7F_7F7F
      let notLow = seven &+ 0x6060_6060_6060_6060
      let delete = seven &+ 0x0101_0101_0101_0101
      let hits = (~notLow | delete) & ~eight & 0x8080_8080_8080_8080
      if hits != 0 { return index &+ hits.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end {
      let byte = self[index]
      if byte < .space || byte == .delete { return index }
      index &+= 1
    }
    return end
  }

  /// Returns the first byte in `start..<end` that is not in `ByteSet.token`; `end` when there is none. Field names are letters
  /// and hyphens, which are passed eight at a time; other bytes are looked up.
  @inline(__always)
  func firstNonToken(from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count, "search beyond the bytes")
    var index = start
    while index < end {
      if index &+ 8 <= end {
        let eight = unsafe word(at: index)
        let lower = (eight | 0x2020_2020_2020_2020) & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = lower &+ 0x1F1F_1F1F_1F1F_1F1F
        let beyondZ = lower &+ 0x0505_0505_0505_0505
        let notHyphen = ((eight & 0x7F7F_7F7F_7F7F_7F7F) ^ 0x2D2D_2D2D_2D2D_2D2D) &+ 0x7F7F_7F7F_7F7F_7F7F
        let others = ((~fromA | beyondZ) & notHyphen | eight) & 0x8080_8080_8080_8080
        if others == 0 {
          index &+= 8
          continue
        }
        index &+= others.trailingZeroBitCount >> 3
      }
      guard ByteSet.token.contains(self[index]) else { return index }
      index &+= 1
    }
    return end
  }

  /// Returns eight bytes, the first one lowest. The caller has checked the bounds.
  @unsafe @inline(__always)
  private func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }
}

extension [UInt8] {
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends digits without creating a String.
  mutating func append(decimal number: Int) {
    let start = count
    var rest = number.magnitude
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if number < 0 { append(.hyphen) }
    self[start...].reverse()
  }

  mutating func append(hexadecimal number: Int) {
    let start = count
    var rest = number
    repeat {
      let digit = UInt8(rest & 15)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      rest >>= 4
    } while rest > 0
    self[start...].reverse()
  }
}

/// A set of ASCII bytes as two machine words. The compiler folds such a computed constant into its uses; a global table would
/// need a check for its lazy initialization at every byte. Bytes above 127 are in no set.
struct ByteSet {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte & 64 == 0 ? low : high
    return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
  }

  /// tchar (RFC 9110 §5.6.2): method, field name, transfer coding, connection option.
  @inline(__always)
  static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

  /// The characters of a path: pchar and "/" (RFC 3986 §3.3), and "[", "]", "|", which browsers and common HTTP clients do not
  /// escape there. The percent sign is included; its digits are checked when the path is decoded.
  @inline(__always)
  static var path: ByteSet { ByteSet(low: 0x2FFF_FFF2_0000_0000, high: 0x57FF_FFFE_AFFF_FFFF) }

  /// The characters of a query: pchar, "/", "?" (RFC 3986 §3.4), and those that the WHATWG URL rules do not escape in one.
  @inline(__always)
  static var query: ByteSet { ByteSet(low: 0xAFFF_FFF2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

  /// reg-name and port of an authority (RFC 3986 §3.2): unreserved, sub-delims, ":". No user
  /// information, and no escapes: a host that must be decoded before it can be compared helps only an attacker.
  @inline(__always)
  static var authority: ByteSet { ByteSet(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

  /// bchars of a multipart boundary (RFC 2046 §5.1.1), space included.
  @inline(__always)
  static var boundary: ByteSet { ByteSet(low: 0xA7FF_FB81_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }
}

extension UInt8 {
  static var tab: UInt8 { 0x09 }
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var quote: UInt8 { 0x22 }
  static var percent: UInt8 { 0x25 }
  static var comma: UInt8 { 0x2C }
  static var hyphen: UInt8 { 0x2D }
  static var dot: UInt8 { 0x2E }
  static var slash: UInt8 { 0x2F }
  static var colon: UInt8 { 0x3A }
  static var semicolon: UInt8 { 0x3B }
  static var equalSign: UInt8 { 0x3D }
  static var question: UInt8 { 0x3F }
  static var backslash: UInt8 { 0x5C }
  static var delete: UInt8 { 0x7F }

  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  var isBlank: Bool { self == .space || self == .tab }
  /// CTL without the horizontal tab: never part of a field value, a reason phrase or a quoted string.
  var isForbiddenControl: Bool { (self < .space && self != .tab) || self == .delete }

  /// 0...15, or nil.
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
