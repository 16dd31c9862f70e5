/// What a missed threshold says of a run.
package enum ThresholdFailure: String, CaseIterable, Sendable {
  /// The server is not good enough: exit code 99.
  case fail
  /// The run means nothing: exit code 97.
  case invalidate
}
