package import Base

/// Which stored records of a run are meant. What is nil does not matter.
package struct KeySelection: Sendable {
  package var run: String
  package var device: DeviceIdentity?
  package var uuids: Set<UUID128>?
  /// Recorded time in milliseconds since 1970: `from` ≤ time < `to`.
  package var from: Int64
  package var to: Int64

  package init(
    run: String, device: DeviceIdentity? = nil, uuids: Set<UUID128>? = nil, from: Int64 = .min, to: Int64 = .max
  ) {
    self.run = run
    self.device = device
    self.uuids = uuids
    self.from = from
    self.to = to
  }
}
