package import Base

/// A span of time in which a schedule has tracking on. The start is part of it, the end is not (SDK §16.2).
package struct ScheduleWindow: Equatable, Sendable {
  package let start: WallInstant
  package let end: WallInstant

  func contains(_ instant: WallInstant) -> Bool { start <= instant && instant < end }
}
