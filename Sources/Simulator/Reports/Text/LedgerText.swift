/// The parts of the ledger in words.
enum LedgerText {
  /// `duplicateRows` is "duplicate rows".
  static func title(_ name: String) -> String {
    name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
  }
}
