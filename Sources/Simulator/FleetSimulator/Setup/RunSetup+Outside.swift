import AnswerCheck
import BackendStore
import Base
import Contract
package import CurlTransport
package import Scenario
import World

/// Real servers (`target`), and the clocks of runs against them.
extension RunSetup {
  static func outside(
    _ scenario: Scenario, _ fleets: [FleetSetup], _ problems: inout [String]
  ) -> OutsideSetup? {
    let (clock, target) = (scenario.clock, scenario.target)
    if clock.mode == .virtual {
      if target.url != nil {
        problems.append("target.url: virtual mode uses the built-in server; use this one with --mode realtime")
      }
      if clock.timestamps == .shiftToNow {
        problems.append("clock.timestamps shift-to-now: not supported in virtual time; use --mode realtime")
      }
      return nil
    }
    guard let url = target.uploadURL ?? appURL(of: fleets, &problems) else { return nil }
    if DevicePlaceholders.stand(in: URLParts(url).origin) {
      problems.append("\(url): devices share one server; a placeholder is allowed only after the host")
    }
    problems += OutsideSetup.problems(of: target)
    let isModelled = clock.mode == .lockstep && clock.latency == .modelled
    for fault in scenario.faults { judgeOutside(fault, of: scenario, fleets, hasLinks: isModelled, &problems) }
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

  /// Returns the upload URL of the apps; nil after a problem was noted.
  private static func appURL(of fleets: [FleetSetup], _ problems: inout [String]) -> String? {
    let urls = fleets.compactMap(\.configuration.http.uploadURL)
    guard let first = urls.first, urls.count == fleets.count else {
      problems.append("target.url: no server is given; use --target http://127.0.0.1:8080, or http.url in sdk.config")
      return nil
    }
    let origin = URLParts(first).origin
    if let other = urls.first(where: { URLParts($0).origin != origin }) {
      problems.append(
        "http.url: fleets upload to different servers, \(first) and \(other): name one with --target, or run each with --fleet"
      )
    }
    return first
  }

  private static func judgeOutside(
    _ fault: Fault, of scenario: Scenario, _ fleets: [FleetSetup], hasLinks: Bool, _ problems: inout [String]
  ) {
    let place = "fault '\(fault.name)'"
    if case .toxic = fault.action, !hasLinks {
      problems.append(
        "\(place): only modelled links have toxics; use --mode virtual, or lockstep with clock.latency modelled")
    }
    if case .tls(let tls) = fault.action { judge(tls, of: fault, scenario.target, hasLinks: hasLinks, &problems) }
    guard fault.action.isServers else { return }
    if case .http(let http) = fault.action, http.hasCondition {
      problems.append("\(place): a real server does not support 'when'; remove it, or use --mode virtual")
    }
    guard scenario.target.isOurs else {
      guard !fault.isPlayable else { return }
      return problems.append(
        "\(place): only a Rolling Road server supports it; use --mode virtual, or declare one with --preset rollingroad or --admin-token. For other servers, use http.abort with a status that is no success, the answer 'portal', or auth"
      )
    }
    let rules = fault.rulesAtOnceMax(of: fleets)
    guard rules > TargetFaults.rulesMax else { return }
    problems.append(
      "\(place): the fault needs up to \(rules) rules, one for each device, and a real server takes \(TargetFaults.rulesMax); select all devices, or use --mode virtual"
    )
  }
}

extension RunSetup {
  /// Checks handshake faults: at a real server they need a rule of the server, or fail before they reach it.
  private static func judge(
    _ tls: TLSFault, of fault: Fault, _ target: Target, hasLinks: Bool, _ problems: inout [String]
  ) {
    let place = "fault '\(fault.name)'"
    if let url = target.uploadURL, url.hasPrefix("http://") {
      problems.append("\(place): \(url) has no TLS; name a target with https")
    }
    guard tls.problem == .slow, !hasLinks, !(target.isOurs && fault.isEverybodys) else { return }
    problems.append(
      "\(place): slow handshakes with a real server need a fault rule of a Rolling Road server, which affects all devices; remove select, or use --mode virtual"
    )
  }
}

extension Fault {
  /// Returns the maximum number of simultaneous rules for this fault.
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

  /// Returns the mistakes in a target, as sentences.
  package static func problems(of target: Target) -> [String] {
    var problems: [String] = []
    if let problem = target.verification.place.problem { problems.append("target.verify.\(problem)") }
    return problems
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

  /// Returns the network of that name over time. A changing network whose states are changing networks is rejected: it is
  /// unknown how long each would last.
  static func radioModel(
    named name: String, of scenario: Scenario, _ table: RadioTable, _ problems: inout [String]
  ) -> RadioModel {
    guard case .changing(let changing)? = scenario.network(named: name) else {
      return .constant(link(named: name, of: table, in: name, &problems))
    }
    var transitions: [RadioModel.Transition] = []
    for state in changing.changes {
      let from = link(named: state.name, of: table, in: name, &problems)
      for change in state.value {
        let next = link(named: change.name, of: table, in: name, &problems)
        guard from != next else {
          problems.append("networks.\(name).markov.\(state.name): a state cannot change to itself; remove it")
          continue
        }
        transitions.append(RadioModel.Transition(from: from, to: next, meanSeconds: change.value.seconds))
      }
    }
    return RadioModel(start: link(named: changing.start, of: table, in: name, &problems), transitions: transitions)
  }

  private static func link(
    named name: String, of table: RadioTable, in network: String, _ problems: inout [String]
  ) -> RadioNetwork {
    if let link = table.network(named: name) { return link }
    problems.append("networks.\(network): '\(name)' is a changing network; name a link that does not change")
    return .none
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
