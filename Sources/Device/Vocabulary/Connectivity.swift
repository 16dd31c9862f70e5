/// The network as the device sees it.
package enum Connectivity: Hashable, Sendable {
  case none, cellular, wifi

  package var isConnected: Bool { self != .none }
}
