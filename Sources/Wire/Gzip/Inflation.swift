/// Reads what deflate wrote (RFC 1951). Logs of phones come packed, and nothing else here is.
struct Inflation {
  private var reader: BitReader
  private(set) var content: [UInt8] = []
  private let limit: Int

  /// Where the packed data ended.
  var end: Int { reader.position }

  /// `limit` bounds the content: a small file can hold gigabytes.
  init(_ bytes: ArraySlice<UInt8>, limit: Int) throws(GzipError) {
    reader = BitReader(bytes)
    self.limit = limit
    var isLast = false
    while !isLast {
      isLast = try reader.bits(1) == 1
      switch try reader.bits(2) {
      case 0: try copyStored()
      case 1: try unpack(Self.fixedLiterals, Self.fixedDistances)
      case 2:
        let (literals, distances) = try readCodes()
        try unpack(literals, distances)
      default: throw .damaged
      }
    }
    // Bytes that were fetched for their bits and not used belong to what follows.
    _ = try reader.wholeBytes(0)
  }

  private mutating func copyStored() throws(GzipError) {
    let head = Array(try reader.wholeBytes(4))
    let count = Int(head[0]) | Int(head[1]) << 8
    guard count ^ 0xFFFF == Int(head[2]) | Int(head[3]) << 8 else { throw .damaged }
    try reserve(count)
    content += try reader.wholeBytes(count)
  }

  private mutating func unpack(_ literals: HuffmanCode, _ distances: HuffmanCode) throws(GzipError) {
    while true {
      let symbol = try literals.symbol(&reader)
      if symbol < 256 {
        try reserve(1)
        content.append(UInt8(symbol))
      } else if symbol == 256 {
        return
      } else {
        try copyBack(symbol, distances)
      }
    }
  }

  /// The content may overlap with what is copied: then it repeats.
  private mutating func copyBack(_ symbol: Int, _ distances: HuffmanCode) throws(GzipError) {
    guard symbol - 257 < Self.lengths.count else { throw .damaged }
    let length = Self.lengths[symbol - 257]
    let count = length.base + (try reader.bits(length.extra))
    let symbol = try distances.symbol(&reader)
    guard symbol < Self.distances.count else { throw .damaged }
    let distance = Self.distances[symbol]
    let back = distance.base + (try reader.bits(distance.extra))
    guard back <= content.count else { throw .damaged }
    try reserve(count)
    for _ in 0..<count { content.append(content[content.count - back]) }
  }

  private func reserve(_ count: Int) throws(GzipError) {
    guard count <= limit - content.count else { throw .tooLarge(limit: limit) }
  }

  /// The codes of a block that brings its own (RFC 1951 §3.2.7).
  private mutating func readCodes() throws(GzipError) -> (HuffmanCode, HuffmanCode) {
    let literalCount = try reader.bits(5) + 257
    let distanceCount = try reader.bits(5) + 1
    let lengthCount = try reader.bits(4) + 4
    var order = [Int](repeating: 0, count: 19)
    for index in 0..<lengthCount { order[Self.lengthOrder[index]] = try reader.bits(3) }
    let code = try HuffmanCode(lengths: order[...])
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try code.symbol(&reader)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw .damaged }
        lengths += [Int](repeating: last, count: 3 + (try reader.bits(2)))
      case 17: lengths += [Int](repeating: 0, count: 3 + (try reader.bits(3)))
      case 18: lengths += [Int](repeating: 0, count: 11 + (try reader.bits(7)))
      default: lengths.append(symbol)
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw .damaged }
    return (try HuffmanCode(lengths: lengths[..<literalCount]), try HuffmanCode(lengths: lengths[literalCount...]))
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// RFC 1951 §3.2.5: four symbols share a number of extra bits, and the last length stands alone.
  private static let lengths = values(from: 3, symbols: 28, perExtra: 4) + [(258, 0)]
  /// The same with two symbols.
  private static let distances = values(from: 1, symbols: 30, perExtra: 2)

  private static func values(from first: Int, symbols: Int, perExtra: Int) -> [(base: Int, extra: Int)] {
    var base = first
    return (0..<symbols).map { symbol in
      let extra = max(symbol / perExtra - 1, 0)
      defer { base += 1 << extra }
      return (base, extra)
    }
  }

  private static let fixedLiterals = fixed([(144, 8), (112, 9), (24, 7), (8, 8)])
  private static let fixedDistances = fixed([(30, 5)])

  private static func fixed(_ runs: [(count: Int, length: Int)]) -> HuffmanCode {
    let lengths = runs.flatMap { [Int](repeating: $0.length, count: $0.count) }
    do {
      return try HuffmanCode(lengths: lengths[...])
    } catch { preconditionFailure("the fixed codes of RFC 1951 §3.2.6 are codes: \(error)") }
  }
}
