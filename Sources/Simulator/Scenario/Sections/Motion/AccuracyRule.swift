/// What the reported accuracy means.
package enum AccuracyRule: String, CaseIterable, Sendable {
  /// The true place lies inside the radius 68 % of the time, as Android defines it.
  case p68
}
