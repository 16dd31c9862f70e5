package import Base

/// A phone of a run at one instant, as the control room shows it.
package struct ShownPhone: Equatable, Sendable {
  /// The index in `RunSteering.phoneNames`.
  package let number: Int
  /// The index of its fleet in `RunSteering.fleetNames`.
  package let fleet: Int
  /// The true place.
  package let place: Coordinate
  /// Clockwise from north; nil at rest.
  package let headingDegrees: Double?
  /// The last position that the server has acknowledged; nil before the first.
  package let known: Coordinate?
  /// The number of waiting records.
  package let queue: Int
  /// The index of its network in `RunSteering.networkNames`.
  package let network: Int
  package let state: PhoneState
  package let token: TokenState
  package let isMoving: Bool
}

/// The figures of one fleet at one instant.
package struct FleetFigures: Equatable, Sendable {
  /// The number of phones that the fleet has had, and of those present.
  package private(set) var phones = 0
  package private(set) var present = 0
  /// The number of phones whose app runs, and of those moving according to their SDK.
  package private(set) var active = 0
  package private(set) var moving = 0
  /// The number of waiting records.
  package private(set) var backlog = 0

  mutating func add(_ phone: ShownPhone) {
    phones += 1
    if phone.state != .left { present += 1 }
    if phone.state == .running { active += 1 }
    if phone.isMoving { moving += 1 }
    backlog += phone.queue
  }
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
