package import Base
package import Scenario

/// One time that a fault befalls one device. The same in every run with the same seed, whatever else is in the run, so
/// that a plan can name those that it keeps.
package struct FaultOccurrence: Hashable, Sendable {
  /// The name of the fault.
  package let fault: String
  package let fleet: String
  /// The place of the device in its fleet.
  package let index: Int
  /// Counted from 0 for each fault and device, those included that find the device elsewhere.
  package let ordinal: Int
  package let start: MonotonicInstant
  /// `start` for an event, nil for what lasts until everything is healed.
  package let end: MonotonicInstant?

  package init(
    fault: String, fleet: String, index: Int, ordinal: Int, start: MonotonicInstant, end: MonotonicInstant?
  ) {
    self.fault = fault
    self.fleet = fleet
    self.index = index
    self.ordinal = ordinal
    self.start = start
    self.end = end
  }
}

extension ListedOccurrence {
  /// So that the same happens when it is listed.
  package init(_ occurrence: FaultOccurrence) {
    self.init(
      fleet: occurrence.fleet, member: occurrence.index,
      start: occurrence.start - MonotonicInstant(nanoseconds: 0), number: occurrence.ordinal)
  }
}
