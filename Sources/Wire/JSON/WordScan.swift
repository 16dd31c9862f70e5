/// Examines eight bytes of text at once.
enum WordScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Returns a word in which the high bit of the first byte that must be escaped (a quote, a backslash or a control character)
  /// is set, and no bit below it; 0 when there is none. Borrows may set bits above it, so only the lowest one counts. The first
  /// byte of the text is the lowest of the word.
  @inline(__always)
  static func escapes(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let belowSpace = (word &- ones &* 0x20) & ~word
    let isQuote = (quote &- ones) & ~quote
    let isBackslash = (backslash &- ones) & ~backslash
    return (belowSpace | isQuote | isBackslash) & highBits
  }

  /// Like `escapes`, for the first byte that must be escaped or is not ASCII.
  @inline(__always)
  static func escapesOrNonASCII(_ word: UInt64) -> UInt64 { escapes(word) | word & highBits }
}
