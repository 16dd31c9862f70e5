/// Takes bits off bytes, the lowest bit of a byte first (RFC 1951 §3.1.1).
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int
  private var held: UInt64 = 0
  private var heldCount = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// At most 32 at once.
  mutating func bits(_ count: Int) throws(GzipError) -> Int {
    try fill(count)
    let value = Int(held & ((1 << UInt64(count)) - 1))
    drop(count)
    return value
  }

  /// Gives up the rest of the byte that was begun, and takes whole bytes.
  mutating func wholeBytes(_ count: Int) throws(GzipError) -> ArraySlice<UInt8> {
    drop(heldCount % 8)
    position -= heldCount / 8
    held = 0
    heldCount = 0
    guard count <= bytes.endIndex - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func fill(_ count: Int) throws(GzipError) {
    while heldCount < count {
      guard position < bytes.endIndex else { throw .truncated }
      held |= UInt64(bytes[position]) << UInt64(heldCount)
      heldCount += 8
      position += 1
    }
  }

  private mutating func drop(_ count: Int) {
    held >>= UInt64(count)
    heldCount -= count
  }
}
