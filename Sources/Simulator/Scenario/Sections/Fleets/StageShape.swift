/// How a stage goes from its first number to its last.
package enum StageShape: String, CaseIterable, Sendable {
  case linear
  /// Stays at the first and jumps at the end.
  case heaviside
}
