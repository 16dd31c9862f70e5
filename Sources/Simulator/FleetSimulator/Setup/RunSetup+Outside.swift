import Base
import CurlTransport
import Scenario

/// Real servers (`target`), and the clocks by which they are driven at.
extension RunSetup {
  /// One address of this machine has some 28,000 ports to one server.
  private static let devicesPerAddress = 20_000

  static func outside(
    _ scenario: Scenario, devices: Int, _ problems: inout [String]
  ) -> OutsideSetup? {
    let (clock, target) = (scenario.clock, scenario.target)
    if clock.mode == .virtual {
      if target.url != nil {
        problems.append("target.url: virtual time has a server of its own; drive at this one with --mode realtime")
      }
      if clock.timestamps == .shiftToNow {
        problems.append("clock.timestamps shift-to-now: virtual time knows no today; use --mode realtime")
      }
      return nil
    }
    guard let url = target.url else {
      problems.append("target.url: clock.mode \(clock.mode.rawValue) needs a server: --target http://127.0.0.1:8080")
      return nil
    }
    judgeOutside(target, &problems)
    let isModelled = clock.mode == .lockstep && clock.latency == .modelled
    for fault in scenario.faults { judgeOutside(fault, hasLinks: isModelled, &problems) }
    var outside = OutsideSetup(url: target.preset.uploads(to: url))
    (outside.preset, outside.headers, outside.verification) = (target.preset, target.headers, target.verification)
    outside.transport = transport(target.connections, to: url, devices: devices)
    if clock.mode == .accelerated { outside.factor = clock.factor }
    if clock.mode == .lockstep { outside.lockstep = clock.latency }
    outside.beginsToday = clock.timestamps == .shiftToNow
    return outside
  }

  private static func judgeOutside(_ target: Target, _ problems: inout [String]) {
    if target.authorization.strategy == .sas {
      problems.append("target.auth.strategy sas: cannot be run yet; jwt and none can")
    }
    guard target.verification.method == .query, target.preset != .rollingroad else { return }
    if target.verification.url?.contains("{device}") != true {
      problems.append("target.verify.url: a query needs a URL with {device} in it")
    }
  }

  private static func judgeOutside(_ fault: Fault, hasLinks: Bool, _ problems: inout [String]) {
    switch fault.action {
    case .toxic where hasLinks: break
    case .toxic:
      problems.append(
        "fault '\(fault.name)': only modelled links have toxics; use --mode virtual, or lockstep with clock.latency modelled"
      )
    case .http, .authorization, .remote:
      problems.append("fault '\(fault.name)': only the server inside can do it; use --mode virtual")
    case .network, .storage, .device, .lifecycle: break
    }
  }

  private static func transport(
    _ connections: TargetConnections, to url: String, devices: Int
  ) -> TransportConfiguration {
    var transport = TransportConfiguration()
    transport.isDirect = true
    transport.idleTime = connections.keepAlive
    switch connections.policy {
    case .mobile: transport.connections = .mobile
    case .pooled: transport.connections = .shared(atMost: 256)
    }
    let isLoopback = OutsideSetup.parts(of: url).origin.contains("://127.")
    if connections.sourceAddresses == .auto && isLoopback && devices > devicesPerAddress {
      transport.sourceAddresses = (0...devices / devicesPerAddress).map { "127.0.0.\($0 + 1)" }
    }
    return transport
  }
}
