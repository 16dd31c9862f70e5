package import Base

/// The clocks behind a timestamp, for finding out which of them is wrong.
package struct TimestampMeta: Equatable, Sendable {
  /// What the fix says.
  package let time: WallInstant
  /// The device's clock when the fix arrived.
  package let systemTime: WallInstant
  /// Milliseconds since boot when the fix arrived.
  package let systemElapsedMilliseconds: Int64
  /// Milliseconds since boot at the fix; written in the Android style only.
  package let fixElapsedMilliseconds: Int64

  package init(
    time: WallInstant, systemTime: WallInstant, systemElapsedMilliseconds: Int64, fixElapsedMilliseconds: Int64
  ) {
    self.time = time
    self.systemTime = systemTime
    self.systemElapsedMilliseconds = systemElapsedMilliseconds
    self.fixElapsedMilliseconds = fixElapsedMilliseconds
  }
}
