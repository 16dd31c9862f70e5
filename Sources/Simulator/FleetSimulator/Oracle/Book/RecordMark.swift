import Base

/// By what a record is known again when it is sent: a hash of its bytes, so that one that was changed is another one.
enum RecordMark {
  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    var mark: UInt64 = 0x9E37_79B9_7F4A_7C15
    var index = 0
    while index + 8 <= bytes.count {
      mark = (mark ^ bytes.littleWord(at: index)) &* 0xBF58_476D_1CE4_E5B9
      mark ^= mark >> 32
      index += 8
    }
    var word = UInt64(bytes.count) << 56
    while index < bytes.count {
      word = word << 8 | UInt64(bytes[index])
      index += 1
    }
    return TraceHash.mix(mark ^ word)
  }
}
