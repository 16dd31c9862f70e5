/// Goes through the bytes of a route file and knows in which line and column it is.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position = 0
  private var line = 1
  /// Where the line begins.
  private var lineStart = 0

  /// A byte order mark of UTF-8 is skipped.
  init(_ bytes: [UInt8]) throws(RouteError) {
    self.bytes = bytes
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw RouteError(.unsupported, at: .beginning, "the file is in UTF-16; save it as UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  var spot: FileSpot { FileSpot(line: line, column: position - lineStart + 1) }
  var isAtEnd: Bool { position == bytes.count }
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    position += 1
    if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position) }
    return byte
  }

  func startsWith(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    return bytes[position..<position + count].elementsEqual("\(text)".utf8)
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }

  mutating func skipSpace() {
    while let byte = peek, ByteReader.isSpace(byte) { _ = next() }
  }

  /// The bytes up to a text, which is skipped; nil when it does not come.
  mutating func read(until text: StaticString) -> ArraySlice<UInt8>? {
    let start = position
    while !startsWith(text) {
      guard next() != nil else { return nil }
    }
    let read = bytes[start..<position]
    skip(text.utf8CodeUnitCount)
    return read
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
