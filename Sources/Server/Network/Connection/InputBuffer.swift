/// Input that the session has not taken. An empty one owns no memory, which is what an idle connection costs.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: Span<UInt8>) {
    if start > 0, start >= count { compact() }
    unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Shows the whole and lets go of what was taken, whose number is returned.
  mutating func offer(_ body: (Span<UInt8>) -> Int) -> Int {
    let taken = body(bytes.span.extracting(start..<bytes.count))
    precondition(taken >= 0 && taken <= count, "a session takes what it was shown")
    start += taken
    if start == bytes.count { self = InputBuffer() }
    return taken
  }

  private mutating func compact() {
    bytes.removeFirst(start)
    start = 0
  }
}
