/// Unsigned LEB128 (DWARF 5 §7.6): seven bits a byte, least significant first, the top bit says that another byte follows.
/// A number has one form only, the shortest.
struct LEB128Reader {
  private(set) var offset: Int

  init(offset: Int) { self.offset = offset }

  mutating func next(in bytes: Span<UInt8>) throws(HistogramError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard offset < bytes.count else { throw .truncated(offset: start) }
      let byte = bytes[offset]
      let bits = UInt64(byte & 0x7F)
      let isTooLarge = shift == 63 && byte > 1
      let isNotShortest = shift > 0 && byte == 0
      guard !isTooLarge && !isNotShortest else { throw .invalidField(offset: start) }
      value |= bits << shift
      offset += 1
      if byte < 0x80 { return value }
      shift += 7
    }
  }
}

extension [UInt8] {
  mutating func append(leb128 value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
