package import Base
package import Contract
package import Vocabulary

/// The SDK's brain: what happens to a device in, what it does out. It knows no clock, no socket, no file and no thread.
package struct Engine: Sendable {
  package private(set) var configuration: Configuration
  package private(set) var state: EngineState

  /// `identity` numbers the records: the same stream at the same step gives the same uuids, so that a host that makes the
  /// engine anew lets it go on where it was, or gives it another stream.
  package init(
    configuration: Configuration, state: EngineState = EngineState(), geofences: [Geofence] = [],
    identity: RandomStream
  ) {
    self.configuration = configuration
    self.state = state
    _ = (geofences, identity)
  }

  /// The earliest instant at which the engine wants `.timersDue`; nil when it waits for nothing.
  package var nextDeadline: MonotonicInstant? { nil }

  /// Takes an input and appends what follows from it.
  package mutating func receive(_ input: EngineInput, at now: Moment, into effects: inout [Effect]) {
    _ = (input, now)
  }
}
