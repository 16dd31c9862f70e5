package import Base

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
  package let phones: [ShownPhone]
  /// The last requests of each of `phones`, the newest last.
  package let requests: [[Request]]
  package let fleets: [FleetFigures]
  package let sums: Sums
}
