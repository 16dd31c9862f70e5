/// Who shares connections.
package enum ConnectionPolicy: String, CaseIterable, Sendable {
  /// Each device has its own and loses it with its network.
  case mobile
  /// Devices share.
  case pooled
}
