/// Which time records carry.
package enum TimestampRule: String, CaseIterable, Sendable {
  /// That of the simulated clock.
  case pinned
  /// That of the wall clock at the start, for servers that refuse old data.
  case shiftToNow = "shift-to-now"
}
