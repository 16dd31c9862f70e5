package import Vocabulary
package import World

/// Sees everything that happens in a run, in order, in the run's own thread, and changes nothing: a run goes the same way
/// whoever watches it.
package protocol Watcher: AnyObject {
  func see(_ happening: Happening, _ sighting: Sighting)

  /// Whether the drives may end now: what comes after would tell nothing.
  var hasSeenEnough: Bool { get }
}

extension Watcher {
  package var hasSeenEnough: Bool { false }
}

/// Of whom a watcher hears, and when.
package struct Sighting {
  /// Its place in the run.
  package let device: Int
  package let now: Moment
  package let network: RadioNetwork
}
