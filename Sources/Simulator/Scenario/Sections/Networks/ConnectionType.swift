/// What the phone says its network is.
package enum ConnectionType: String, CaseIterable, Sendable {
  case wifi
  case cellular
  case none
}
