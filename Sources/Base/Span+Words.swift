extension Span<UInt8> {
  /// The text's bytes lie somewhere in it. A byte that the text does not have rules out all places that would cover it.
  package func contains(_ text: String) -> Bool {
    let part = text.utf8.span
    precondition(part.count > 0, "an empty text lies everywhere")
    var bits = SIMD4<UInt64>.zero
    for index in part.indices { bits[Int(part[index] >> 6)] |= 1 << UInt64(part[index] & 63) }
    var start = 0
    while start + part.count <= count {
      let last = self[start + part.count - 1]
      if bits[Int(last >> 6)] >> UInt64(last & 63) & 1 == 0 {
        start += part.count
      } else if part.indices.allSatisfy({ self[start + $0] == part[$0] }) {
        return true
      } else {
        start += 1
      }
    }
    return false
  }

  /// The eight bytes from there on, the first one lowest.
  package func littleWord(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The eight bytes from there on, the first one highest.
  package func bigWord(at index: Int) -> UInt64 {
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }
}
