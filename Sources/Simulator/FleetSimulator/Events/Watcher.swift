package import Base
package import Vocabulary
package import World

/// Sees everything that happens in a run, in order, in the run's own thread, and changes nothing: a run goes the same way
/// with any watchers.
package protocol Watcher: AnyObject {
  func see(_ event: SimulationEvent, _ context: EventContext)

  /// Whether the drives may end now: what comes after would tell nothing.
  var hasSeenEnough: Bool { get }

  /// A person has done something to the run, which lasts until `end`.
  func mark(_ words: String, from start: Nanoseconds, until end: Nanoseconds)

  /// The drives and all faults are over; what follows are the turns in which the queues empty.
  func drivesEnded()
}

extension Watcher {
  package var hasSeenEnough: Bool { false }

  package func mark(_ words: String, from start: Nanoseconds, until end: Nanoseconds) {}

  package func drivesEnded() {}
}

/// Of whom a watcher hears, and when.
package struct EventContext {
  /// Its place in the run.
  package let device: Int
  package let now: Moment
  package let network: RadioNetwork

  /// By how many milliseconds the clock on the wall is ahead of the run's time.
  var clockLead: Int64 { now.wall.millisecondsSince1970 - now.monotonic.nanoseconds / 1_000_000 }
}
