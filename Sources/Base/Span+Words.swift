extension Span<UInt8> {
  /// The eight bytes from there on, the first one lowest.
  package func littleWord(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The eight bytes from there on, the first one highest.
  package func bigWord(at index: Int) -> UInt64 {
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }
}
