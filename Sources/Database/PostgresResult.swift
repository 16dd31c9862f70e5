import Base
internal import CPostgres

/// The rows of a statement, in the binary formats of their types.
@safe
package final class PostgresResult {
  private let result: OpaquePointer
  package let count: Int

  init(_ result: OpaquePointer) {
    unsafe self.result = unsafe result
    count = Int(unsafe rr_postgres_rows(result))
  }

  deinit { unsafe rr_postgres_clear(result) }

  /// The command tag, such as "COMMIT" or "INSERT 0 5".
  package var tag: String { unsafe String(cString: rr_postgres_tag(result)) }

  /// The number of rows in the tag.
  package var changes: Int { tag.split(separator: " ").last.flatMap { Int($0) } ?? 0 }

  package func isNull(_ row: Int, _ column: Int) -> Bool { value(row, column) { _ in false } ?? true }

  /// Returns an integer of any width.
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    value(row, column) { (bytes: Span<UInt8>) in bytes.integer(0..<bytes.count) } ?? 0
  }

  package func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
    value(row, column) { (bytes: Span<UInt8>) in bytes.integer(0..<bytes.count) }
  }

  package func optionalDouble(_ row: Int, _ column: Int) -> Double? {
    value(row, column) { (bytes: Span<UInt8>) in Double(bitPattern: UInt64(bitPattern: bytes.integer(0..<8))) }
  }

  package func flag(_ row: Int, _ column: Int) -> Bool { value(row, column) { $0[0] != 0 } ?? false }

  package func text(_ row: Int, _ column: Int) -> String { optionalText(row, column) ?? "" }

  package func optionalText(_ row: Int, _ column: Int) -> String? {
    value(row, column) { (bytes: Span<UInt8>) in PostgresText.text(of: bytes.copied) }
  }

  /// Returns a blob; empty for NULL.
  package func blob(_ row: Int, _ column: Int) -> [UInt8] {
    value(row, column) { (bytes: Span<UInt8>) in bytes.copied } ?? []
  }

  package func uuid(_ row: Int, _ column: Int) -> (high: UInt64, low: UInt64)? {
    value(row, column) { (bytes: Span<UInt8>) in
      (UInt64(bitPattern: bytes.integer(0..<8)), UInt64(bitPattern: bytes.integer(8..<16)))
    }
  }

  /// Returns an array of integers; empty for NULL.
  package func integers(_ row: Int, _ column: Int) -> [Int64] {
    value(row, column) { (bytes: Span<UInt8>) in
      guard bytes.count >= 20 else { return [] }
      var numbers: [Int64] = []
      var start = 20
      for _ in 0..<bytes.integer(12..<16) {
        let end = start + 4 + Int(bytes.integer(start..<start + 4))
        numbers.append(bytes.integer(start + 4..<end))
        start = end
      }
      return numbers
    } ?? []
  }

  private func value<Value>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Value) -> Value? {
    precondition(row < count, "there is no such row")
    var length: Int32 = 0
    guard let bytes = unsafe rr_postgres_bytes(result, Int32(row), Int32(column), &length) else { return nil }
    return unsafe body(Span(_unsafeStart: bytes, count: Int(length)))
  }
}

extension Span<UInt8> {
  /// Reads a big-endian integer.
  fileprivate func integer(_ range: Range<Int>) -> Int64 {
    var number: Int64 = self[range.lowerBound] >= 0x80 ? -1 : 0
    for index in range { number = number << 8 | Int64(self[index]) }
    return number
  }
}
