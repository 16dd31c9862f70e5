package import Base
import World

/// The state of a run at one instant.
package struct RecordedMoment: Equatable, Sendable {
  /// A request of a phone.
  package struct Request: Equatable, Sendable {
    let bits: UInt8
    /// Whether it uploads records; otherwise it is for tokens or a log.
    package let isUpload: Bool
    package let sent: Nanoseconds
    /// Nil while it is under way.
    package internal(set) var ended: Nanoseconds?
    /// 0: no answer.
    package internal(set) var status: UInt16 = 0
  }

  /// One phone.
  package struct Phone: Equatable, Sendable {
    /// The index in `RunSteering.phoneNames`.
    package let number: Int
    package let fleet: Int
    /// The true place.
    package let place: Coordinate
    /// Clockwise from north; nil at rest.
    package let headingDegrees: Double?
    /// The last position that the server had acknowledged; nil before the first.
    package let known: Coordinate?
    package let queue: Int
    /// The index of its network in `RunSteering.networkNames`.
    package let network: Int
    package let state: PhoneState
    package let token: TokenState
    package let isMoving: Bool
    /// The last requests, the newest last.
    package let requests: [Request]
  }

  /// The figures of one fleet.
  package struct Fleet: Equatable, Sendable {
    package var phones = 0
    package var present = 0
    package var active = 0
    package var moving = 0
    package var backlog = 0
  }

  /// Totals since the start of the run.
  package struct Sums: Equatable, Sendable {
    package var created = 0
    package var uploads = 0
    package var failedUploads = 0
  }

  /// The instant that is shown; earlier than the requested one where `isExact` is false.
  package let instant: Nanoseconds
  package let isExact: Bool
  /// The phones that have been present.
  package let phones: [Phone]
  package let fleets: [Fleet]
  package let sums: Sums
}
