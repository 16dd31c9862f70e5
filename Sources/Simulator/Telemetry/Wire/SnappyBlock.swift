/// A writer of Snappy's block format (https://github.com/google/snappy/blob/main/format_description.txt): literals, and
/// copies from at most 64 KiB before.
enum SnappyBlock {
  /// Copies stay within their piece, so that positions in it fit into two bytes.
  private static let pieceBytes = 65_536
  private static let hashBits = 14
  /// A shorter copy would be as long as its content.
  private static let matchMin = 4

  static func pack(_ content: [UInt8]) -> [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(content.count / 2 + 16)
    var length = UInt32(content.count)
    while length >= 0x80 {
      block.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    block.append(UInt8(length))
    for start in stride(from: 0, to: content.count, by: pieceBytes) {
      packPiece(content[start..<min(start + pieceBytes, content.count)], into: &block)
    }
    return block
  }

  private static func packPiece(_ piece: ArraySlice<UInt8>, into block: inout [UInt8]) {
    var places = [Int](repeating: -1, count: 1 << hashBits)
    var (literal, position) = (piece.startIndex, piece.startIndex)
    while position + matchMin <= piece.endIndex {
      let hash = hash(of: piece, at: position)
      let candidate = places[hash]
      places[hash] = position
      guard candidate >= 0, word(of: piece, at: candidate) == word(of: piece, at: position) else {
        position += 1
        continue
      }
      var end = position + matchMin
      while end < piece.endIndex, piece[end] == piece[candidate + end - position] { end += 1 }
      append(literal: piece[literal..<position], to: &block)
      append(copy: end - position, offset: position - candidate, to: &block)
      (literal, position) = (end, end)
    }
    append(literal: piece[literal...], to: &block)
  }

  private static func word(of piece: ArraySlice<UInt8>, at index: Int) -> UInt32 {
    UInt32(piece[index]) | UInt32(piece[index + 1]) << 8 | UInt32(piece[index + 2]) << 16
      | UInt32(piece[index + 3]) << 24
  }

  private static func hash(of piece: ArraySlice<UInt8>, at index: Int) -> Int {
    Int((word(of: piece, at: index) &* 0x9E37_79B1) >> UInt32(32 - hashBits))
  }

  /// Appends a literal. Its length minus one is in the tag up to 59, otherwise in one or two bytes after it.
  private static func append(literal: ArraySlice<UInt8>, to block: inout [UInt8]) {
    guard !literal.isEmpty else { return }
    let last = literal.count - 1
    switch last {
    case ..<60: block.append(UInt8(last << 2))
    case ..<256: block += [60 << 2, UInt8(last)]
    default: block += [61 << 2, UInt8(last & 0xFF), UInt8(last >> 8)]
    }
    block += literal
  }

  /// Appends a copy with an offset of two bytes, in steps of at most 64 bytes.
  private static func append(copy length: Int, offset: Int, to block: inout [UInt8]) {
    var left = length
    while left > 0 {
      let step = min(left, 64)
      block += [UInt8((step - 1) << 2 | 2), UInt8(offset & 0xFF), UInt8(offset >> 8)]
      left -= step
    }
  }
}
