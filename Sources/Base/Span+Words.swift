// Hashes call these for each word of a body: a call costs more than what it does.
extension Span<UInt8> {
  /// The eight bytes from there on, the first one lowest.
  @inlinable
  package func littleWord(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The eight bytes from there on, the first one highest.
  @inlinable
  package func bigWord(at index: Int) -> UInt64 {
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// In an array of its own.
  package var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) } }
}
