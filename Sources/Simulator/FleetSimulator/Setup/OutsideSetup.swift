package import CurlTransport
package import Scenario

/// The real server that a run's devices talk to, and by whose clock.
package struct OutsideSetup: Sendable {
  /// Where records go, and from where relative URLs start.
  package var url: String
  /// Each app uploads to its own URL, of which `url` is one.
  package var keepsURLs = false
  /// A Rolling Road server. Nothing of ours goes to others: no names of devices, no question, no order.
  package var isOurs: Bool
  package var preset: TargetPreset?
  /// Of every request, over those of the app.
  package var headers: [Named<String>] = []
  package var transport = TransportConfiguration()
  package var verification = TargetVerification()
  /// Of a Rolling Road server, when its administration wants one: to prove what is stored, to place faults, to draw streets.
  package var adminToken: String?
  /// Seconds of the devices in a second of the network.
  package var factor = 1.0
  /// In virtual time, which waits for the answers: what a request costs in it.
  package var lockstep: LatencySource?
  /// Records carry the time at which the run began, instead of that of the scenario.
  package var beginsToday = false
  /// Tells runs of one seed apart, which may all go to one server; 0: they are the same.
  package var runNumber: UInt64 = 0

  package init(url: String, isOurs: Bool = false) { (self.url, self.isOurs) = (url, isOurs) }

  /// Scheme, host and port.
  var origin: String { OutsideSetup.parts(of: url).origin }

  static func parts(of url: String) -> (origin: String, path: Substring) {
    let host = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let end = url[host...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
    return (String(url[..<end]), url[end...])
  }
}
