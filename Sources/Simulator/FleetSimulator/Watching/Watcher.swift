import Vocabulary
import World

/// Sees everything that happens in a run, in order, in the run's own thread, and changes nothing: a run goes the same way
/// whoever watches it.
protocol Watcher: AnyObject {
  func see(_ happening: Happening, _ sighting: Sighting)
}

/// Of whom a watcher hears, and when.
struct Sighting {
  /// Its place in the run.
  let device: Int
  let now: Moment
  let network: RadioNetwork
}
