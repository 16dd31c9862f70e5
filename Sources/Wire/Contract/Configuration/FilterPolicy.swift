/// What the location filter does with an implausible step (SDK §2.2).
package enum FilterPolicy: Int, CaseIterable, Sendable {
  /// Rejects nothing but bad accuracy.
  case passThrough = 0
  /// Caps the step.
  case adjust = 1
  /// Rejects bursts, caps the rest.
  case conservative = 2
}
