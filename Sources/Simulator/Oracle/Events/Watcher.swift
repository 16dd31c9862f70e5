package import Base
package import Vocabulary
package import World

/// Receives every event of a run, in order, in the run's own thread, and changes nothing: a run is the same with any watchers.
package protocol Watcher: AnyObject {
  func see(_ event: SimulationEvent, _ context: EventContext)

  /// Whether the drives may end now, because later events would add nothing.
  var hasSeenEnough: Bool { get }

  /// Called when a person acts on the run; the act lasts until `end`.
  func mark(_ words: String, from start: Nanoseconds, until end: Nanoseconds)

  /// Called when the drives and all faults are over; the turns in which the queues empty follow.
  func drivesEnded()
}

extension Watcher {
  package var hasSeenEnough: Bool { false }

  package func mark(_ words: String, from start: Nanoseconds, until end: Nanoseconds) {}

  package func drivesEnded() {}
}

/// The device, the time and the network of an event.
package struct EventContext {
  /// The number of the device in the run.
  package let device: Int
  package let now: Moment
  package let network: RadioNetwork

  package init(device: Int, now: Moment, network: RadioNetwork) {
    (self.device, self.now, self.network) = (device, now, network)
  }

  /// The milliseconds by which the wall clock is ahead of the run's time.
  var clockLead: Int64 { now.wall.millisecondsSince1970 - now.monotonic.nanoseconds / 1_000_000 }
}
