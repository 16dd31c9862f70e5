/// Which way the bytes go that a toxic touches.
package enum ToxicStream: String, CaseIterable, Sendable {
  /// From the device to the server.
  case upstream
  /// From the server to the device.
  case downstream
}
