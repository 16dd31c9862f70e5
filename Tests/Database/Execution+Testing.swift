import Database

extension Execution {
  struct NoRow: Error {}

  /// Steps to a row that must be there.
  mutating func next() throws {
    guard try step() else { throw NoRow() }
  }

  func array(at column: Int32) -> [UInt8] {
    let span = bytes(at: column)
    return span.indices.map { span[$0] }
  }
}
