/// From which addresses connections come.
package enum SourceAddressRule: String, CaseIterable, Sendable {
  /// As many loopback addresses as the ports need.
  case auto
  case single
}
