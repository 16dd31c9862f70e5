import AnswerCheck
import Base
import Contract
import CurlTransport
import Host
import IngestServer
import JSON
import Oracle
import Scenario
import Testing
import Upload
import World

@testable import FleetSimulator

/// Faults of a server that is not inside the run, over sockets: they come and go by its administration.
@Suite struct TargetFaultTests {
  private static let token = "an administrator's"

  private func newServer(_ authentication: ServerConfiguration.Authentication = .off) throws -> IngestServer {
    try Runs.server { configuration in
      configuration.loops = 1
      configuration.adminToken = Self.token
      configuration.authentication = authentication
    }
  }

  /// Two cars for eight minutes, in modelled time; something is wrong in the third and fourth.
  private func setup(
    _ server: IngestServer, _ action: FaultAction, path: String = "/locations", _ selection: FaultSelection? = nil
  ) -> RunSetup {
    var setup = Runs.setup(seed: 5, minutes: 8, Runs.drivers(2, radio: .constant(.lte)))
    setup.faults = [
      Fault(
        name: "trouble", start: .seconds(120), duration: .seconds(120), selection: selection ?? FaultSelection(),
        action: action)
    ]
    setup.outside = OutsideSetup(url: server.url + path, isOurs: true)
    setup.outside?.lockstep = .modelled
    setup.outside?.adminToken = Self.token
    return setup
  }

  private func run(_ setup: RunSetup, _ more: (any Watcher)? = nil) throws -> (RunReport, SeenEvents) {
    let seen = SeenEvents(from: setup.start)
    let watchers: [any Watcher] = [seen] + (more.map { [$0] } ?? [])
    let report = try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: watchers).run()
    return (report, seen)
  }

  /// What the server has been asked to do badly.
  private func rules(of setup: RunSetup) throws -> [JSONValue] {
    let target = try #require(setup.outside)
    let answer = TargetAdministration(try BlockingHTTPClient(target.transport), of: target).ask("/admin/v1/faults")
    guard case .array(let rules)? = JSONValue(answerOf: answer)?["faults"] else { throw TargetError("\(answer)") }
    return rules
  }

  private func unavailable(percentage: Double = 100) -> FaultAction {
    var http = HTTPFault()
    http.abort = HTTPAbort(status: 503, percentage: percentage)
    return .http(http)
  }

  @Test(arguments: ["/locations", "/r/nightly/locations"])
  func aStatusIsPlacedAndTakenAway(path: String) throws {
    let server = try newServer()
    defer { server.stop() }
    let setup = setup(server, unavailable(), path: path)
    let (report, seen) = try run(setup)
    #expect(report.violations == [] && report.faultRefusal == nil && report.proofRefusal == nil)
    #expect(report.sums.created > 20 && report.sums.stored == report.sums.created)
    let during = seen.outcomes(from: 121, to: 240)
    #expect(during.count > 3 && during.allSatisfy { $0 == 503 })
    #expect(seen.outcomes(from: 0, to: 120).allSatisfy { $0 == 200 } && !seen.outcomes(from: 0, to: 120).isEmpty)
    #expect(seen.outcomes(from: 242, to: 480).allSatisfy { $0 == 200 })
    #expect(try rules(of: setup).isEmpty)
  }

  @Test func onlySelectedDevicesAreRefused() throws {
    let server = try newServer()
    defer { server.stop() }
    var one = FaultSelection()
    one.count = 1
    let (report, seen) = try run(setup(server, unavailable(), one))
    #expect(report.violations == [] && report.faultRefusal == nil)
    let refused = Set(seen.outcomes.filter { $0.status == 503 }.map(\.device))
    #expect(refused.count == 1)
  }

  /// By the machine's clock: the rule is there while devices drive, and gone when somebody has had enough.
  @Test func anInterruptedRunLeavesNoRuleBehind() throws {
    let server = try newServer()
    defer { server.stop() }
    var setup = setup(server, unavailable())
    setup.outside?.lockstep = nil
    setup.outside?.factor = 600
    setup.faults[0].start = .zero
    setup.faults[0].duration = .seconds(36_000)
    setup.duration = .seconds(36_000)
    let interruption = Interruption()
    let run = try FleetRun(
      setup, to: RunDestination(of: setup) { try Runs.store() }, interruption: interruption, watchers: [])
    var seen = 0
    let report = try run.run { _, sums in
      guard sums.created > 0, !interruption.isRequested else { return }
      do { seen = try rules(of: setup).count } catch { Issue.record(error) }
      interruption.request()
    }
    #expect(report.ending == .signal && seen == 1)
    #expect(try rules(of: setup).isEmpty)
    #expect(report.sums.stored == report.sums.created, "healed, everything was delivered")
  }

  /// A rule that is over stays away when a device joins.
  @Test func whatIsOverDoesNotComeBackForALaterDevice() throws {
    let server = try newServer()
    defer { server.stop() }
    let scenario = try ScenarioReader().read(
      """
      { version: 1, name: 'late', seed: 4, clock: { mode: 'lockstep', latency: 'modelled', duration: '12m', settle: '10s' },
        target: { url: '\(server.url)/locations', preset: 'rollingroad' },
        fleets: { early: { devices: 1, motion: 'driving', network: 'lte' },
                  late: { devices: 1, motion: 'driving', network: 'lte', startTime: '8m' } },
        faults: [{ name: 'f', at: '2m', for: '3m', http: { abort: { status: 503 } } }] }
      """
    ).scenario
    var setup = try RunSetup(scenario)
    setup.outside?.adminToken = Self.token
    let (report, seen) = try run(setup)
    #expect(report.violations == [] && report.faultRefusal == nil)
    #expect(seen.outcomes(from: 120, to: 300).contains(503))
    let later = seen.outcomes(from: 302, to: 730)
    #expect(later.count > 3 && later.allSatisfy { $0 == 200 }, "\(later)")
    #expect(Set(seen.outcomes.map(\.device)).count == 2)
  }

  /// A server that checks no tokens takes those that were taken back: SDK §11.2.
  @Test func anExpiredTokenThatIsTakenIsFound() throws {
    let server = try newServer(.off)
    defer { server.stop() }
    var authorization = AuthorizationFault()
    authorization.expireAllAccessTokens = true
    var setup = setup(server, .authorization(authorization))
    setup.faults = [Fault(name: "expiry", start: .seconds(120), action: .authorization(authorization))]
    var target = TargetAuthorization()
    target.strategy = .jwt
    setup.authorization = target
    let (report, _) = try run(setup)
    #expect(!report.violations.isEmpty && report.violations.allSatisfy { $0.rule == .auth }, "\(report.violations)")
  }

  @Test(arguments: ["/locations", "/r/nightly/locations"])
  func tokensExpireAndCommandsAreSentAtARealServer(path: String) throws {
    let server = try newServer(.required)
    defer { server.stop() }
    var authorization = AuthorizationFault()
    (authorization.expireAllAccessTokens, authorization.refreshStatus) = (true, 503)
    var remote = RemoteFault()
    remote.commands = [.resetOdometer]
    var setup = setup(server, .authorization(authorization), path: path)
    setup.faults.append(Fault(name: "reset", start: .seconds(300), action: .remote(remote)))
    var target = TargetAuthorization()
    target.strategy = .jwt
    setup.authorization = target
    let orders = Orders()
    let (report, seen) = try run(setup, orders)
    #expect(report.violations == [] && report.faultRefusal == nil)
    #expect(orders.carriedOut == 2)
    #expect(seen.outcomes(from: 120, to: 240).contains(503) && seen.requests(to: "/api/refresh_token") > 2)
  }

  @Test func aMissingPermissionOrForeignFaultsAreReportedBeforeTheRun() throws {
    let server = try newServer()
    defer { server.stop() }
    var setup = setup(server, unavailable())
    let target = try #require(setup.outside)
    let administration = TargetAdministration(try BlockingHTTPClient(target.transport), of: target)
    let other = #"{"faults":[{"id":"a","fault":{"kind":"drop"}}]}"#
    #expect(administration.ask("/admin/v1/faults", by: "PUT", body: Array(other.utf8)).status == 200)
    let crowded = try #require(throws: TargetError.self) { try RunDestination(of: setup) { try Runs.store() } }
    #expect("\(crowded)".contains("has faults of another client"))
    #expect(try rules(of: setup).count == 1, "they are left alone")
    setup.outside?.adminToken = nil
    let stranger = try #require(throws: TargetError.self) { try RunDestination(of: setup) { try Runs.store() } }
    #expect("\(stranger)".contains("status 401; give --admin-token"))
    // Nothing is asked of it, so that no token is needed.
    setup.faults = []
    _ = try RunDestination(of: setup) { try Runs.store() }
  }

  @Test(arguments: [
    ("preset: 'traccar',", "http: { delay: { fixedDelay: '1s' } }", "only a Rolling Road server supports it"),
    ("", "http: { answer: { kind: 'drop' } }", "only a Rolling Road server supports it"),
    (
      "auth: { strategy: 'jwt', identity: 'own' },", "auth: { rotateKeys: true }",
      "only a Rolling Road server supports it"
    ),
    ("", "http: { abort: { status: 200 } }", "http.abort with a status that is no success"),
    (
      "preset: 'rollingroad',", "http: { abort: { status: 413, when: 'request.bytes > 9' } }",
      "a real server does not support 'when'"
    ),
    ("preset: 'rollingroad',", "select: { fraction: 0.5 }, http: { abort: { status: 503 } }", "up to 3000 rules"),
    ("", "toxic: { type: 'timeout', attributes: { timeout: 1 } }", "only modelled links have toxics"),
  ])
  func aFaultThatARealServerCannotInjectIsReported(target: String, fault: String, problem: String) throws {
    let text = """
      { version: 1, name: 'x', clock: { mode: 'realtime' }, target: { \(target) url: 'http://127.0.0.1:1' },
        fleets: { a: { devices: 3000 } }, faults: [{ name: 'f', at: '1s', for: '1s', \(fault) }] }
      """
    let scenario = try ScenarioReader().read(text).scenario
    let refused = try #require(throws: UnsupportedScenarioError.self) { try RunSetup(scenario) }
    #expect(refused.problems.count == 1 && "\(refused)".contains(problem), "\(refused.problems)")
  }
}

/// Counts what devices were told to do and did.
private final class Orders: Watcher {
  private(set) var carriedOut = 0

  func see(_ event: SimulationEvent, _ context: EventContext) {
    if case .told(let event) = event, case .commanded = event { carriedOut += 1 }
  }
}
