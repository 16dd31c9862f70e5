package import Base
import Contract
package import Scenario
import Vocabulary
package import World

/// Everything that a run follows from, besides the server and the time it takes.
package struct RunSetup: Sendable {
  package var seed: UInt64
  /// The date and time at which the run begins.
  package var start: WallInstant
  /// How long the devices live.
  package var duration: Nanoseconds
  /// How long everything is healthy afterwards.
  package var settle: Nanoseconds
  /// How far the clocks on the wall are ahead of UTC where the devices are.
  package var zoneOffsetSeconds = 0
  /// When that changes, in order.
  package var zoneChanges: [(instant: WallInstant, offsetSeconds: Int)] = []
  /// The links that devices may have.
  package var radio: RadioTable
  package var fleets: [FleetSetup]
  /// What goes wrong, each under a name of its own.
  package var faults: [Fault]
  /// Invariants whose violation ends the drives.
  package var endingInvariants: Set<Invariant> = []
  /// With its first violation everything is over; what is acknowledged is then looked for in the store at once.
  package var breakingInvariant: Invariant?
  /// The real server that is driven at; nil: one inside, in virtual time.
  package var outside: OutsideSetup?
  /// Of every request to a server inside, over those of the app.
  package var insideHeaders: [Named<String>] = []
  /// How apps get their tokens; nil: the server wants none.
  package var authorization: TargetAuthorization?
  /// How long a device keeps a connection that it does not use.
  package var keepAlive = Nanoseconds.seconds(300)
  /// The names of the devices whose SDK's log watchers hear of.
  package var logged: Set<String> = []
  /// What is watched over.
  package var invariants = Invariant.allCases

  package init(
    seed: UInt64, start: WallInstant, duration: Nanoseconds, settle: Nanoseconds, radio: RadioTable = .presets,
    fleets: [FleetSetup], faults: [Fault] = []
  ) {
    self.radio = radio
    self.seed = seed
    self.start = start
    self.duration = duration
    self.settle = settle
    self.fleets = fleets
    self.faults = faults
  }

  /// What the uuids of records follow from. A run over sockets leaves its records beside those of earlier runs of its seed: with
  /// the same uuids at times a little different they would look like repeated rows.
  var identitySeed: UInt64 {
    guard let number = outside?.runNumber, number != 0 else { return seed }
    return TraceHash.mix(seed ^ TraceHash.mix(number))
  }

  /// Of those that are simulated, in order.
  package var deviceNames: [String] {
    fleets.flatMap { fleet in fleet.simulated.map { "\(fleet.name)-\($0)" } }
  }

  func moment(at instant: MonotonicInstant) -> Moment {
    Moment(monotonic: instant, wall: start.advanced(byMilliseconds: instant.nanoseconds / 1_000_000))
  }

  /// How many entries of its log a device keeps for a server that asks for it; 0 when none of the run can ask.
  var logEntriesKept: Int {
    let asks = faults.contains { fault in
      guard case .remote(let remote) = fault.action else { return false }
      return remote.commands.contains { $0.name == .uploadLog }
    }
    guard outside != nil || asks else { return 0 }
    let devices = max(1, fleets.reduce(0) { $0 + $1.devices })
    return min(5_000, max(64, 250_000 / devices))
  }
}
