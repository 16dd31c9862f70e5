package import Base

/// Something that somebody does to a phone.
package struct HabitEvent: Equatable, Sendable {
  /// What, and when it is over.
  package enum Kind: Equatable, Sendable {
    case killsApp(relaunch: MonotonicInstant)
    case reboots(isBack: MonotonicInstant)
  }

  package let instant: MonotonicInstant
  package let kind: Kind

  /// When the phone is as it was.
  package var end: MonotonicInstant {
    switch kind {
    case .killsApp(let instant), .reboots(let instant): instant
    }
  }
}
