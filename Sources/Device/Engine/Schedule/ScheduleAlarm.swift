package import Base

/// An instant at which windows of a schedule begin or end, and what that means.
package struct ScheduleAlarm: Equatable, Sendable {
  /// What is to be on from here; nil for nothing.
  package enum Action: Equatable, Sendable {
    case turnOn(ScheduleMode)
    case turnOff
    /// A window ends inside another: nothing changes, not even for a device that was stopped by hand.
    case none
  }

  package let instant: WallInstant
  package let action: Action
  /// Of the entry whose window begins, or else ends; nil when the clock was set back and no window did either.
  package let entryIndex: Int?
}
