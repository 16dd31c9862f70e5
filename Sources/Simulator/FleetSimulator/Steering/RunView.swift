package import Base
package import Scenario

/// A snapshot of a run for the control room, which the run's thread publishes at intervals while the run is watched.
package struct RunView: Sendable {
  /// The phase of the run: the drives, the settle phase, the end.
  package enum Phase: String, Sendable { case driving, settling, over }

  /// The figures of one fleet.
  package struct Fleet: Sendable, Equatable {
    package var name: String
    /// The number of phones that the fleet has had, and of those present now.
    package var phones = 0
    package var present = 0
    /// The number of phones whose app runs, and of those moving according to their SDK.
    package var active = 0
    package var moving = 0
    /// The number of waiting records.
    package var backlog = 0

    package init(name: String) { self.name = name }
  }

  /// One phone.
  package struct Phone: Sendable, Equatable {
    /// The index in `RunSteering.phoneNames`.
    package var number: Int
    /// The index of its fleet in `RunView.fleets`.
    package var fleet: Int
    /// The true place.
    package var place: Coordinate
    /// Clockwise from north; nil at rest.
    package var headingDegrees: Double?
    /// The last position that the server has acknowledged; nil before the first.
    package var known: Coordinate?
    /// The number of waiting records.
    package var queue: Int
    /// The index of its network in `RunView.networks`.
    package var network: Int
    package var state: PhoneState
    package var token: TokenState
    package var isMoving: Bool
  }

  package var mode: ClockMode
  /// The time since the start of the run.
  package var instant: Nanoseconds
  /// The planned end of the drives.
  package var duration: Nanoseconds
  package var progress: RunProgress
  package var phase: Phase
  package var isPaused: Bool
  package var recordsPerSecond: Double
  /// Percentiles of recently answered uploads, in milliseconds.
  package var p50Milliseconds: Double?
  package var p99Milliseconds: Double?
  /// Failed requests by error.
  package var errors: [RequestError]
  package var fleets: [Fleet]
  /// The lag of turns by the machine's clock, in milliseconds; nil in virtual time.
  package var lagP50Milliseconds: Double?
  package var lagP99Milliseconds: Double?
  /// The networks, by the index in `Phone.network`.
  package var networks: [String]
  /// The phones that have been present, in the order of their numbers.
  package var phones: [Phone]
}

/// Whether a phone is present and its app runs.
package enum PhoneState: UInt8, Sendable, CaseIterable {
  /// Not yet present.
  case absent
  case running
  /// The phone is on and the app does not run.
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

/// The state of a phone's tokens at a server that requires them.
package enum TokenState: UInt8, Sendable, CaseIterable {
  /// The app has no tokens.
  case none
  case valid
  /// The token has expired, or the server has revoked it.
  case expired

  package var word: String {
    switch self {
    case .none: "none"
    case .valid: "valid"
    case .expired: "expired"
    }
  }
}
