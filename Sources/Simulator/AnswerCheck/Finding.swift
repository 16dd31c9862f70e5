/// A clause that an answer has broken.
package struct Finding: Equatable, Sendable {
  package let clause: Clause
  /// What it was this time, as half a sentence.
  package let detail: String

  package init(_ clause: Clause, _ detail: String) {
    self.clause = clause
    self.detail = detail
  }
}
