package import Base

/// When iOS lets an app that wants it run for a moment in the background.
package struct BackgroundFetches: Equatable, Sendable {
  /// Typically about every quarter of an hour (SDK §16.3.4).
  package static let interval = Nanoseconds.seconds(900)

  /// Nil while the app does not want any.
  package private(set) var due: MonotonicInstant?

  package init() {}

  package mutating func demand(_ isOn: Bool, at instant: MonotonicInstant) {
    due = isOn ? instant + BackgroundFetches.interval : nil
  }

  /// True when one is due; the next one follows an interval later.
  package mutating func take(at instant: MonotonicInstant) -> Bool {
    guard let due, due <= instant else { return false }
    self.due = instant + BackgroundFetches.interval
    return true
  }
}
