import Base
import CurlTransport
import Scenario

/// Real servers (`target`), and the clocks by which they are driven at.
extension RunSetup {
  /// One address of this machine has some 28,000 ports to one server.
  private static let devicesPerAddress = 20_000

  static func outside(
    _ scenario: Scenario, _ fleets: [FleetSetup], _ problems: inout [String]
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
    for fault in scenario.faults { judgeOutside(fault, of: scenario, fleets, hasLinks: isModelled, &problems) }
    var outside = OutsideSetup(url: target.preset.uploads(to: url))
    (outside.preset, outside.headers, outside.verification) = (target.preset, target.headers, target.verification)
    outside.transport = transport(target.connections, to: url, devices: fleets.reduce(0) { $0 + $1.devices })
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

  private static func judgeOutside(
    _ fault: Fault, of scenario: Scenario, _ fleets: [FleetSetup], hasLinks: Bool, _ problems: inout [String]
  ) {
    let place = "fault '\(fault.name)'"
    if case .toxic = fault.action, !hasLinks {
      problems.append(
        "\(place): only modelled links have toxics; use --mode virtual, or lockstep with clock.latency modelled")
    }
    guard fault.isServers else { return }
    guard scenario.target.preset == .rollingroad else {
      return problems.append("\(place): only a server of ours can do it; use --mode virtual, or --preset rollingroad")
    }
    if case .http(let http) = fault.action, http.hasCondition {
      problems.append("\(place): a real server knows no 'when'; leave it away, or use --mode virtual")
    }
    let rules = fault.rulesAtOnceMax(of: fleets)
    guard rules > TargetFaults.rulesMax else { return }
    problems.append(
      "\(place): for single devices a real server takes \(TargetFaults.rulesMax) rules, and these may be \(rules); select everybody, or use --mode virtual"
    )
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

extension Fault {
  /// How many rules a server may need for it at once.
  fileprivate func rulesAtOnceMax(of fleets: [FleetSetup]) -> Int {
    let each = TargetFaultRule.rules(of: self, 0, device: nil).count
    if isEverybodys { return each }
    let devices = fleets.reduce(0) { $0 + (selection.fleet ?? $1.name == $1.name ? $1.devices : 0) }
    return each * min(devices, selection.count ?? .max, occurrences?.count ?? .max)
  }
}

extension HTTPFault {
  fileprivate var hasCondition: Bool { [abort?.condition, delay?.condition, answer?.condition].contains { $0 != nil } }
}
