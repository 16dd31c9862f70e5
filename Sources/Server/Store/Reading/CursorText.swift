/// The text of a cursor: numbers with points between them. Clients give it back as they got it.
enum CursorText {
  /// Exactly `count` numbers, or `badCursor`.
  static func numbers(_ text: String, count: Int) throws(StoreError) -> [Int64] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard parts.count == count, numbers.count == count else {
      throw StoreError(code: .badCursor, message: "the cursor is not one that this server gave out")
    }
    return numbers
  }
}
