/// The store in numbers.
package struct StoreCounts: Equatable, Sendable {
  package var devices: Int64
  /// Records ever accepted from the devices that are known, those that retention dropped included.
  package var accepted: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  /// Days with a partition of their own, and the one of odd times if it is there.
  package var partitions: Int64
  /// Bytes of the main file that hold data.
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
