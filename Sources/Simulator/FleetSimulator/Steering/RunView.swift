package import Base
package import Scenario

/// What a room shows of a run: a snapshot that the run's thread publishes now and then, while it is watched.
package struct RunView: Sendable {
  /// How far the run has come: its duration goes on, what waits is still being sent, it has ended.
  package enum Phase: String, Sendable { case driving, settling, over }

  /// The figures of one fleet.
  package struct Fleet: Sendable, Equatable {
    package var name: String
    /// Phones that the fleet has had, and that it has now.
    package var phones = 0
    package var present = 0
    /// Whose app runs, and that move as their SDK has it.
    package var active = 0
    package var moving = 0
    /// Records that wait.
    package var backlog = 0

    package init(name: String) { self.name = name }
  }

  /// One phone.
  package struct Phone: Sendable, Equatable {
    /// Its number in `RunSteering.phoneNames`.
    package var number: Int
    /// The place of its fleet in `RunView.fleets`.
    package var fleet: Int
    /// Where it truly is.
    package var place: Coordinate
    /// Clockwise from north; nil while it stays somewhere.
    package var headingDegrees: Double?
    /// The last of its positions that the server has acknowledged; nil before the first.
    package var known: Coordinate?
    /// Records that wait.
    package var queue: Int
    /// The place of its network in `RunView.networks`.
    package var network: Int
    package var state: PhoneState
    package var token: TokenState
    package var isMoving: Bool
  }

  package var mode: ClockMode
  /// Since the run began.
  package var instant: Nanoseconds
  /// The instant at which the drives are to end.
  package var duration: Nanoseconds
  package var progress: RunProgress
  package var phase: Phase
  package var isPaused: Bool
  package var recordsPerSecond: Double
  /// Of uploads that were answered lately, in milliseconds: medians and tails.
  package var p50Milliseconds: Double?
  package var p99Milliseconds: Double?
  /// Failed requests by name.
  package var errors: [RequestError]
  package var fleets: [Fleet]
  /// Of the machine's clock, in milliseconds; nil in virtual time.
  package var lagP50Milliseconds: Double?
  package var lagP99Milliseconds: Double?
  /// By the numbers in `Phone.network`.
  package var networks: [String]
  /// Those that have been there, in the order of their numbers.
  package var phones: [Phone]
}

/// Whether a phone is there and its app runs.
package enum PhoneState: UInt8, Sendable, CaseIterable {
  /// Not there yet.
  case absent
  case running
  /// The app does not run, the phone does.
  case closed
  case switchedOff
  /// The phone has left its fleet.
  case left

  package var word: String {
    switch self {
    case .absent: "absent"
    case .running: "running"
    case .closed: "closed"
    case .switchedOff: "switched off"
    case .left: "left"
    }
  }
}

/// How a phone stands with a server that wants tokens.
package enum TokenState: UInt8, Sendable, CaseIterable {
  /// The app has none.
  case none
  case valid
  /// Its time is over, or the server has taken it back.
  case expired

  package var word: String {
    switch self {
    case .none: "none"
    case .valid: "valid"
    case .expired: "expired"
    }
  }
}
