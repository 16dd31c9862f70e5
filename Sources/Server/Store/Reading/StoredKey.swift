/// A stored record, for reconciliation: whose, which, when.
package struct StoredKey: Equatable, Sendable {
  package var device: DeviceIdentity
  package var key: PointKey
}
