/// Output that the kernel has not taken. An empty one owns no memory.
struct OutputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// Keeps what of `new` begins at `offset`.
  mutating func append(_ new: [UInt8], from offset: Int) {
    guard offset < new.count else { return }
    if start > 0, start >= count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: new[offset...])
  }

  /// Shows what is left to `send` and forgets what it took.
  mutating func flush(_ send: (RawSpan) throws(SystemError) -> Int) throws(SystemError) {
    start += try send(unsafe bytes.span.bytes.extracting(start..<bytes.count))
    if start == bytes.count { self = OutputBuffer() }
  }
}
