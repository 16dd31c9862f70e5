import Base
import Vocabulary

/// The wall clock of a device and the time since which it has not been set: times that the device writes can be compared only as long as it
/// runs on.
struct SteadyClock {
  /// The milliseconds by which it is ahead of the run's time.
  private let lead: Int64
  private(set) var since: MonotonicInstant

  /// A clock shows milliseconds.
  static let tick: UInt64 = 2

  /// Begins with the clock of an event.
  init(_ context: EventContext) { (lead, since) = (context.clockLead, context.now.monotonic) }

  /// Reports whether the clock has been set by more than so many milliseconds, at once or little by little.
  func isSet(byMoreThan milliseconds: UInt64 = tick, _ context: EventContext) -> Bool {
    (context.clockLead &- lead).magnitude > milliseconds
  }

  /// Returns the time that it shows if it runs on until then, in milliseconds since 1970.
  func shown(at instant: MonotonicInstant) -> Int64 { instant.nanoseconds / 1_000_000 + lead }

  /// Counts as set at this instant, whatever it shows.
  mutating func restart(at instant: MonotonicInstant) { since = instant }
}
