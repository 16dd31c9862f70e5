package import Base
package import Scenario

/// One occurrence of a fault for one device. It is the same in every run with the same seed, whatever else is in the run, so
/// that a plan can list the occurrences that it keeps.
package struct FaultOccurrence: Hashable, Sendable {
  /// The name of the fault.
  package let fault: String
  package let fleet: String
  /// The index of the device in its fleet.
  package let index: Int
  /// Counted from 0 per fault and device, including occurrences that find the device outside the area.
  package let ordinal: Int
  package let start: MonotonicInstant
  /// `start` for an event; nil for what lasts until all faults end.
  package let end: MonotonicInstant?
  package let effects: FaultEffects

  package init(
    fault: String, fleet: String, index: Int, ordinal: Int, start: MonotonicInstant, end: MonotonicInstant?,
    effects: FaultEffects = []
  ) {
    self.fault = fault
    self.fleet = fleet
    self.index = index
    self.ordinal = ordinal
    self.start = start
    self.end = end
    self.effects = effects
  }
}
