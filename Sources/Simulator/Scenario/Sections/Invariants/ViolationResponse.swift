/// What follows the first violation.
package enum ViolationResponse: String, CaseIterable, Sendable {
  /// The run ends and is reduced to a small plan.
  case shrink
  case stop
  case proceed = "continue"
}
