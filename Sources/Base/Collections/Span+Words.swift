// Inlinable, because hashes call these for each word of a body, where a call would cost more than the work.
extension Span<UInt8> {
  /// Returns the eight bytes from `index`, the first one lowest.
  @inlinable
  package func littleWord(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Returns the eight bytes from `index`, the first one highest.
  @inlinable
  package func bigWord(at index: Int) -> UInt64 {
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The bytes in an array.
  package var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) } }
}
