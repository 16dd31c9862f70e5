/// What a fix did to the odometer.
package enum OdometerStep: Equatable, Sendable {
  /// Its accuracy is unknown or too bad, or fixes from this source do not count.
  case skipped
  /// The first fix since the reference was cleared: counting begins here.
  case began
  /// Too long a step; counting goes on from where it was.
  case rejected(metres: Double)
  case advanced(metres: Double)
}
