/// A code of prefixes, given by the lengths of its words (RFC 1951 §3.2.2).
struct HuffmanCode {
  /// How many words have each length, and the symbols in the order of their words.
  private var counts = [Int](repeating: 0, count: Self.lengthMax + 1)
  private var symbols: [Int] = []

  private static let lengthMax = 15

  /// Throws when more words are wanted than there are.
  init(lengths: ArraySlice<Int>) throws(GzipError) {
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    var free = 1
    for length in 1...Self.lengthMax {
      free = free * 2 - counts[length]
      guard free >= 0 else { throw .damaged }
    }
    for length in 1...Self.lengthMax {
      for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
    }
  }

  /// The words of one length follow each other, and the first of a length follows from the last of the shorter one: so a
  /// word is found by counting.
  func symbol(_ reader: inout BitReader) throws(GzipError) -> Int {
    var word = 0
    var first = 0
    var index = 0
    for length in 1...Self.lengthMax {
      word |= try reader.bits(1)
      let count = counts[length]
      if word - first < count { return symbols[index + word - first] }
      index += count
      first = (first + count) << 1
      word <<= 1
    }
    throw .damaged
  }
}
