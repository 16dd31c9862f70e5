/// Counts of the store.
package struct StoreCounts: Equatable, Sendable {
  package var devices: Int64
  /// Records ever accepted from the known devices, including those deleted by retention.
  package var accepted: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  /// Partitions of days, and the one of odd times if it exists.
  package var partitions: Int64
  /// The bytes of the main file that are in use.
  package var usedBytes: Int64

  package init(
    devices: Int64, accepted: Int64, duplicates: Int64, quarantined: Int64, partitions: Int64, usedBytes: Int64
  ) {
    self.devices = devices
    self.accepted = accepted
    self.duplicates = duplicates
    self.quarantined = quarantined
    self.partitions = partitions
    self.usedBytes = usedBytes
  }
}
