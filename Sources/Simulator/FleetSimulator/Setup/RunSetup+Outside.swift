import AnswerCheck
import BackendStore
import Base
import Contract
package import CurlTransport
package import Scenario
import World

/// Real servers (`target`), and the clocks by which they are driven at.
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

  /// Which run of the server the apps say that they belong to, when they agree.
  private static func runHeader(of fleets: [FleetSetup]) -> Named<String>? {
    let name = HeaderName.runID.description
    let runs = fleets.map { $0.configuration.header(name) }
    guard let run = runs.first ?? nil, runs.allSatisfy({ $0 == run }) else { return nil }
    return Named(name: name, value: run)
  }

  /// Where the apps upload to; nil after a problem was noted.
  private static func appURL(of fleets: [FleetSetup], _ problems: inout [String]) -> String? {
    let urls = fleets.compactMap(\.configuration.http.uploadURL)
    guard let first = urls.first, urls.count == fleets.count else {
      problems.append("target.url: there is no server: --target http://127.0.0.1:8080, or http.url in sdk.config")
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
        "\(place): only a Rolling Road server supports it; use --mode virtual, or declare one with --preset rollingroad or --admin-token. For other servers, use http.abort, the answer 'portal', or auth"
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
  /// At a real server handshakes go wrong by a rule of the server, or fail before they get there.
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

extension TransportConfiguration {
  fileprivate mutating func apply(_ security: TargetSecurity) {
    certificateAuthorities = security.authorities
    checksServer = !security.isUnchecked
    (clientCertificate, clientKey) = (security.certificate, security.key)
    pinnedKey = security.pinnedKey
    trustSetting = "target.tls.ca or --ca"
  }
}

/// The real server that a run's devices talk to, and by whose clock.
package struct OutsideSetup: Sendable {
  /// Where records go, and from where relative URLs start.
  package var url: String
  /// Each app uploads to its own URL, of which `url` is one.
  package var keepsURLs = false
  /// A Rolling Road server. Nothing of ours goes to others: no names of devices, no question, no order.
  package var isOurs: Bool
  /// `Rolling Road 0.1.0`; nil where it was not told.
  package var serverVersion: String?
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
  var origin: String { URLParts(url).origin }
}

extension OutsideSetup {
  /// One address of this machine has some 28,000 ports to one server.
  private static let devicesPerAddress = 20_000

  /// A target as it is declared, under the URL to which so many devices upload.
  package init(_ target: Target, url: String, devices: Int) {
    self.init(url: url, isOurs: target.isOurs)
    (preset, headers, verification) = (target.preset, target.headers, target.verification)
    transport = OutsideSetup.transport(target, to: url, devices: devices)
  }

  /// What of a target cannot be, as sentences.
  package static func problems(of target: Target) -> [String] {
    var problems: [String] = []
    if target.authorization.strategy == .sas {
      problems.append("target.auth.strategy sas: not supported; use jwt or none")
    }
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
  /// The presets and the links that the scenario declares. Networks that change are no links but lead from one to another.
  static func radioTable(of scenario: Scenario) -> RadioTable {
    var table = RadioTable.presets
    for network in scenario.networks {
      if case .link(let link) = network.value { table.declare(RadioLink(network.name, link)) }
    }
    return table
  }

  /// How the network of that name goes on over time. A changing network whose states are changing networks themselves
  /// is refused: it is unknown how long it stays.
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
