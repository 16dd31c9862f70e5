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

extension Span<UInt8> {
  /// Byte for byte, case-sensitive.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in indices where unsafe text.utf8Start[index] != self[index] { return false }
    return true
  }

  /// Case of ASCII letters ignored, as for field names, codings and options. `text` is written in lower case and holds
  /// letters, digits and the punctuation from "-" to ":"; the bytes of the span hold no controls. Then setting the bit
  /// that tells the cases apart makes exactly the equal ones equal, and eight bytes can be compared at once.
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
      if word(at: index) | 0x2020_2020_2020_2020 != theirs { return false }
      if index == count - 8 { return true }
      index = min(index + 8, count - 8)
    }
  }

  /// The first line feed in `start..<end`. Eight bytes at a time: incomplete heads are searched again at every arrival.
  func firstLineFeed(from start: Int, to end: Int) -> Int? {
    var index = start
    while index &+ 8 <= end {
      let difference = word(at: index) ^ 0x0A0A_0A0A_0A0A_0A0A
      let hits = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if hits != 0 { return index + hits.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < end {
      if self[index] == .lineFeed { return index }
      index &+= 1
    }
    return nil
  }

  /// The first byte in `start..<end` that is below space or DEL; `end` when there is none.
  @inline(__always)
  func firstControl(from start: Int, to end: Int) -> Int {
    var index = start
    while index &+ 8 <= end {
      let eight = word(at: index)
      let low = (eight &- 0x2020_2020_2020_2020) & ~eight
      let difference = eight ^ 0x7F7F_7F7F_7F7F_7F7F
      let delete = (difference &- 0x0101_0101_0101_0101) & ~difference
      // A borrow can only raise flags above the first true one, so the lowest flag is always right.
      let hits = (low | delete) & 0x8080_8080_8080_8080
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

  /// Eight bytes, the first one lowest; the load is bounds-checked.
  @inline(__always)
  private func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }
}

extension [UInt8] {
  mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
