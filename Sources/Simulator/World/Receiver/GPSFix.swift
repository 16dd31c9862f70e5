package import Base

/// What a receiver says about where it is.
package struct GPSFix: Equatable, Sendable {
  package let instant: MonotonicInstant
  package let place: Coordinate
  /// Radius in which the true place lies in 68 of 100 fixes.
  package let accuracyMetres: Double
  /// Above the mean sea level.
  package let altitudeMetres: Double
  /// Above the ellipsoid of WGS 84.
  package let ellipsoidalAltitudeMetres: Double
  package let altitudeAccuracyMetres: Double
  /// Metres per second.
  package let speed: Double
  package let speedAccuracy: Double
  /// Nil when the receiver does not move fast enough to know.
  package let headingDegrees: Double?
  package let headingAccuracyDegrees: Double
}
