extension UUID128 {
  /// In the order of the text, as databases keep them.
  package var bytes: InlineArray<16, UInt8> {
    InlineArray { index in
      let word = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
    }
  }

  /// From exactly 16 bytes.
  package init(_ bytes: Span<UInt8>) {
    precondition(bytes.count == 16, "a uuid has 16 bytes")
    var words: (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
      words.0 = words.0 << 8 | UInt64(bytes[index])
      words.1 = words.1 << 8 | UInt64(bytes[index + 8])
    }
    self.init(high: words.0, low: words.1)
  }
}
