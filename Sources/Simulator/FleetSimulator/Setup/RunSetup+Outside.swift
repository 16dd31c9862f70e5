import AnswerCheck
import BackendStore
import Base
import Contract
package import CurlTransport
import JSON
package import Scenario
import World

/// Real servers (`target`), and the clocks of runs against them.
extension RunSetup {
  /// Returns nil in virtual time.
  static func outside(_ scenario: Scenario, _ fleets: [FleetSetup]) -> OutsideSetup? {
    let (clock, target) = (scenario.clock, scenario.target)
    guard clock.mode != .virtual, let url = target.uploadURL ?? fleets.first?.configuration.http.uploadURL else {
      return nil
    }
    var outside = OutsideSetup(target, url: url, devices: fleets.reduce(0) { $0 + $1.devices })
    outside.keepsURLs = target.url == nil
    if outside.isOurs, let run = runHeader(of: fleets) { outside.headers.insert(run, at: 0) }
    if clock.mode == .accelerated { outside.factor = clock.factor }
    if clock.mode == .lockstep { outside.lockstep = clock.latency }
    outside.beginsToday = clock.timestamps == .shiftToNow
    return outside
  }

  /// Returns the run header of the apps, if all have the same.
  private static func runHeader(of fleets: [FleetSetup]) -> Named<String>? {
    let name = HeaderName.runID.description
    let runs = fleets.map { $0.configuration.header(name) }
    guard let run = runs.first ?? nil, runs.allSatisfy({ $0 == run }) else { return nil }
    return Named(name: name, value: run)
  }

  /// Returns what a real server cannot do.
  static func outsideProblems(of scenario: Scenario) -> [ScenarioProblem] {
    guard scenario.clock.mode != .virtual || !scenario.requests.isEmpty else { return [] }
    return serverProblems(of: scenario) + OutsideSetup.problems(of: scenario.target)
      + scenario.faults.compactMap { problem(of: $0, outside: scenario) }
  }

  /// Devices share one server.
  private static func serverProblems(of scenario: Scenario) -> [ScenarioProblem] {
    var servers: [(path: String, url: String)] = []
    if let url = scenario.target.uploadURL {
      servers = [("target.url", url)]
    } else {
      servers = scenario.fleets.compactMap { fleet in
        scenario.configuration(of: fleet.value.traits).http.uploadURL.map {
          (scenario.path(of: ["http.url", "url"], in: fleet), $0)
        }
      }
    }
    for (path, url) in servers where DevicePlaceholders.stand(in: URLParts(url).origin) {
      return [
        ScenarioProblem(
          path, "devices share one server, and \(url) has a placeholder for it",
          remedy: "write placeholders after the host only")
      ]
    }
    guard let first = servers.first,
      let other = servers.first(where: { URLParts($0.url).origin != URLParts(first.url).origin })
    else { return [] }
    return [
      ScenarioProblem(
        other.path, "fleets upload to different servers, \(first.url) and \(other.url)",
        remedy: "name one with target.url (--target), or run each with --fleet",
        reading: ["fleets", "sdk", "target.url"])
    ]
  }

  private static func problem(of fault: Fault, outside scenario: Scenario) -> ScenarioProblem? {
    let clock = scenario.clock
    let hasLinks = clock.mode == .lockstep && clock.latency == .modelled
    func problem(_ key: String, _ message: String, _ remedy: String) -> ScenarioProblem {
      ScenarioProblem(
        fault.path + key, message, remedy: remedy,
        reading: ["clock.mode", "clock.latency", "target.url", "target.preset", "target.verify"])
    }
    if case .toxic = fault.action, !hasLinks {
      return problem(
        "", "only modelled links have toxics", "use --mode virtual, or lockstep with clock.latency modelled")
    }
    if case .tls(let tls) = fault.action {
      let apps = scenario.fleets.lazy.compactMap { scenario.configuration(of: $0.value.traits).http.uploadURL }
      if let url = scenario.target.uploadURL ?? apps.first, url.hasPrefix("http://") {
        return problem("", "\(url) has no TLS", "name a target with https")
      }
      guard tls.problem == .slow, !hasLinks, !(scenario.target.isOurs && fault.isEverybodys) else { return nil }
      return problem(
        ".problem",
        "slow handshakes with a real server need a fault rule of a Rolling Road server, which affects all devices",
        "remove select, or use --mode virtual")
    }
    guard fault.action.isServers else { return nil }
    if case .http(let http) = fault.action, let key = http.keyWithCondition {
      return problem(".\(key).when", "a real server does not support 'when'", "remove it, or use --mode virtual")
    }
    if scenario.target.isOurs {
      let rules = fault.rulesAtOnceMax(in: scenario)
      guard rules > TargetFaults.rulesMax else { return nil }
      return problem(
        "",
        "the fault needs up to \(rules) rules, one for each device, and a real server takes \(TargetFaults.rulesMax)",
        "select all devices, or use --mode virtual")
    }
    guard !fault.isPlayable else { return nil }
    return problem(
      "", "only a Rolling Road server supports it",
      "use --mode virtual, or declare one with --preset rollingroad or --admin-token. For other servers, use http.abort with a status that is no success, the answer 'portal', or auth"
    )
  }
}

extension Fault {
  /// Returns the maximum number of simultaneous rules for this fault.
  fileprivate func rulesAtOnceMax(in scenario: Scenario) -> Int {
    let each = TargetFaultRule.rules(of: self, 0, device: nil).count
    if isEverybodys { return each }
    let fleets = scenario.fleets.filter { selection.fleet ?? $0.name == $0.name }
    let devices = fleets.reduce(0) { $0 + $1.value.executor.peakDevices }
    return each * min(devices, selection.count ?? .max, occurrences?.count ?? .max)
  }
}

extension HTTPFault {
  /// The first of its keys that has a condition.
  fileprivate var keyWithCondition: String? {
    [("abort", abort?.condition), ("delay", delay?.condition), ("answer", answer?.condition)].first { $0.1 != nil }?.0
  }
}

extension TransportConfiguration {
  fileprivate mutating func apply(_ security: TargetSecurity) {
    certificateAuthorities = security.authorities
    checksServer = !security.isUnchecked
    (clientCertificate, clientKey) = (security.certificate, security.key)
    pinnedKey = security.pinnedKey
    trustSetting = "target.tls.ca or --ca"
  }
}

/// The real server of a run's devices, and the clock of the run.
package struct OutsideSetup: Sendable {
  /// The upload URL, and the base of relative URLs.
  package var url: String
  /// Whether each app uploads to its own URL, of which `url` is one.
  package var keepsURLs = false
  /// Whether it is a Rolling Road server. Other servers receive no device names, queries or administrative requests.
  package var isOurs: Bool
  /// `Rolling Road 0.1.0`; nil when it was not reported.
  package var serverVersion: String?
  package var preset: TargetPreset?
  /// The headers of every request, which override those of the app.
  package var headers: [Named<String>] = []
  package var transport = TransportConfiguration()
  package var verification = TargetVerification()
  /// The admin token of a Rolling Road server, if it requires one: to prove what is stored, to inject faults, to draw streets.
  package var adminToken: String?
  /// Seconds of device time per second of network time.
  package var factor = 1.0
  /// The latency of requests in virtual time; nil in other modes.
  package var lockstep: LatencySource?
  /// Whether the run's dates begin with today instead of the scenario's date.
  package var beginsToday = false
  /// Distinguishes runs of one seed against the same server; 0: they are not distinguished.
  package var runNumber: UInt64 = 0

  package init(url: String, isOurs: Bool = false) { (self.url, self.isOurs) = (url, isOurs) }

  /// Scheme, host and port.
  var origin: String { URLParts(url).origin }
  /// Where the routes of the server begin: at the run that the URL names, if it is a Rolling Road server.
  var root: String { isOurs ? URLParts(url).root : origin }
}

extension OutsideSetup {
  /// One address of this machine has some 28,000 ports per server.
  private static let devicesPerAddress = 20_000

  /// The target as declared, with the upload URL of `devices`.
  package init(_ target: Target, url: String, devices: Int) {
    self.init(url: url, isOurs: target.isOurs)
    (preset, headers, verification) = (target.preset, target.headers, target.verification)
    transport = OutsideSetup.transport(target, to: url, devices: devices)
  }

  /// Returns the mistakes in a target.
  package static func problems(of target: Target) -> [ScenarioProblem] {
    target.verification.place.problem.map { [$0] } ?? []
  }

  private static func transport(
    _ target: Target, to url: String, devices: Int
  ) -> TransportConfiguration {
    var transport = TransportConfiguration()
    let connections = target.connections
    transport.isDirect = true
    transport.readsEnvironment = true
    transport.keepsHeads = true
    transport.idleTime = connections.keepAlive
    switch connections.http {
    case .version11: transport.httpVersion = .http1
    case .version2: transport.httpVersion = .http2
    }
    switch connections.policy {
    case .mobile: transport.connections = .mobile
    case .pooled: transport.connections = .shared(atMost: 256)
    }
    (transport.proxy, transport.resolvedNames) = (connections.proxy, connections.resolvedNames)
    transport.apply(target.security)
    let isLoopback = URLParts(url).host.hasPrefix("127.")
    if connections.sourceAddresses == .auto && isLoopback && devices > devicesPerAddress {
      transport.sourceAddresses = (0...devices / devicesPerAddress).map { "127.0.0.\($0 + 1)" }
    }
    return transport
  }
}

extension RunSetup {
  /// Returns the presets and the links that the scenario declares, without changing networks, which switch between links.
  static func radioTable(of scenario: Scenario) -> RadioTable {
    var table = RadioTable.presets
    for network in scenario.networks {
      if case .link(let link) = network.value { table.declare(RadioLink(network.name, link)) }
    }
    return table
  }

  /// Returns the network of that name over time; the reader refuses one that does not change between links.
  static func radioModel(named name: String, of scenario: Scenario, _ table: RadioTable) -> RadioModel {
    func link(_ name: String) -> RadioNetwork { table.network(named: name) ?? .none }
    guard case .changing(let changing)? = scenario.network(named: name) else { return .constant(link(name)) }
    let transitions = changing.changes.flatMap { state in
      state.value.map { change in
        RadioModel.Transition(from: link(state.name), to: link(change.name), meanSeconds: change.value.seconds)
      }
    }
    return RadioModel(start: link(changing.start), transitions: transitions)
  }
}

extension RadioLink {
  fileprivate init(_ name: String, _ link: Link) {
    let kind: Kind =
      switch link.type {
      case .wifi: .wifi
      case .cellular: .cellular
      case .none: .none
      }
    self.init(
      name: name, kind: kind,
      quality: LinkQuality(
        latency: link.latency.seconds, jitter: link.jitter.seconds, downBitsPerSecond: link.downBitsPerSecond,
        upBitsPerSecond: link.upBitsPerSecond, loss: link.loss))
  }
}
