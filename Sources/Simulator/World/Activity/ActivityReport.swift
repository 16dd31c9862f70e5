package import Base

/// What the motion sensors say.
package struct ActivityReport: Equatable, Sendable {
  package let instant: MonotonicInstant
  package let activity: MotionActivity
  /// Percent.
  package let confidence: Int
}
