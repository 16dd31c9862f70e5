extension BinaryInteger {
  /// `1 record`, `2 records`: for words that people read.
  package func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
