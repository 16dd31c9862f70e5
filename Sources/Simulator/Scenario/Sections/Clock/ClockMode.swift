/// Whose time passes in a run.
package enum ClockMode: String, CaseIterable, Sendable {
  /// Everything is simulated, the link and the server's clock too.
  case virtual
  /// Virtual time that waits for the answers of a real server.
  case lockstep
  /// The wall clock times a factor; the network is not scaled.
  case accelerated
  case realtime
}
