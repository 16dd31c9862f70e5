/// How a record's `timestamp` and `recorded_at` are written.
package enum TimestampFormat: String, CaseIterable, Sendable {
  case iso
  /// Integer milliseconds since 1970.
  case epoch
}
