/// A short piece of text that lies in the value itself: appending one counts no references, of which a record would
/// need some thirty.
struct Fragment: Sendable {
  private static let capacity = 32

  private var bytes = InlineArray<32, UInt8>(repeating: 0)
  private let count: Int

  init(_ text: String) {
    precondition(text.utf8.count <= Self.capacity, "a fragment has at most 32 bytes")
    count = text.utf8.count
    for (index, byte) in text.utf8.enumerated() { bytes[index] = byte }
  }

  func append(to output: inout [UInt8]) { output.append(copying: bytes.span.extracting(0..<count)) }
}
