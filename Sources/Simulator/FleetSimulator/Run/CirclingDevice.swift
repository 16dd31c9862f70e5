package import Base

/// A device that is due again at once, for ever: a mistake of the simulator, and the end of its run.
package struct CirclingDevice: Error, Equatable, CustomStringConvertible {
  package let device: String
  package let instant: MonotonicInstant

  package var description: String {
    "\(device) goes round in circles at \(instant.clockText): it is due at once after each of its turns, which is a mistake of the simulator"
  }
}
