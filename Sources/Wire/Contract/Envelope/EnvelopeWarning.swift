/// What a device logs about a body that it could not write as configured.
package enum EnvelopeWarning: Equatable, Sendable {
  /// A body that is an array has no place for params.
  case paramsDropped
}
