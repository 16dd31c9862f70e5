import Base
import Contract
import CurlTransport
import IngestServer
import JSON
import Oracle
import Scenario
import ServerSupport
import Support
import Testing
import Upload
import World

@testable import FleetSimulator

/// Handshakes that go wrong: in a modelled network with an intercepting proxy, and for real by rules of a server.
@Suite struct TLSFaultTests {
  private static let failing = TLSProblem.allCases.filter { $0 != .slow }

  private func fault(_ problem: TLSProblem, delay: Nanoseconds? = nil) -> FaultAction {
    var tls = TLSFault()
    (tls.problem, tls.delay) = (problem, delay)
    return .tls(tls)
  }

  /// Two cars for five minutes; the proxy is there in the third and fourth.
  private func run(
    _ action: FaultAction, pinsKey: Bool = true, _ selection: FaultSelection = FaultSelection()
  ) throws -> (RunReport, SeenEvents) {
    let fault = Fault(
      name: "proxy", start: .seconds(120), duration: .seconds(120), selection: selection, action: action)
    var setup = Runs.setup(seed: 31, minutes: 5, faults: [fault], Runs.drivers(2, radio: .constant(.wifi)))
    setup.pinsKey = pinsKey
    return try Runs.watch(setup)
  }

  /// SDK §9.6: an upload without an answer. Records stay, and there is no hot loop.
  @Test(arguments: failing)
  func aHandshakeThatFailsIsNoAnswer(problem: TLSProblem) throws {
    let (report, seen) = try run(fault(problem))
    #expect(report.isRight && report.violations == [])
    #expect(report.sums.stored == report.sums.created)
    let during = seen.outcomes(from: 121, to: 240)
    #expect(during.count > 2 && during.allSatisfy { $0 == 0 }, "also of what was connected before")
    // Inserts wait for ten more (SDK §9.3.2).
    #expect(during.count <= seen.inserts(from: 110, to: 240) / 5 + 10)
    for (from, to) in [(0.0, 119.0), (242, 300)] {
      #expect(!seen.outcomes(from: from, to: to).isEmpty && seen.outcomes(from: from, to: to).allSatisfy { $0 == 200 })
    }
  }

  @Test func onlyAnAppThatPinsNoticesAnotherKey() throws {
    let (report, seen) = try run(fault(.changedKey), pinsKey: false)
    #expect(report.isRight && seen.outcomes.allSatisfy { $0.status == 200 })
  }

  @Test func aSlowHandshakeTakesItsTimeFromTheRequest() throws {
    let (report, seen) = try run(fault(.slow, delay: .seconds(20)))
    #expect(report.isRight && seen.longest(from: 120, to: 240) > 20 && seen.longest(from: 0, to: 118) < 20)
    #expect(seen.outcomes.allSatisfy { $0.status == 200 })
    let (tooSlow, seenTooSlow) = try run(fault(.slow, delay: .seconds(100)))
    #expect(tooSlow.isRight && tooSlow.sums.stored == tooSlow.sums.created)
    let during = seenTooSlow.outcomes(from: 181, to: 240)
    #expect(!during.isEmpty && during.allSatisfy { $0 == 0 })
  }

  @Test func theOthersAreNotBehindTheProxy() throws {
    var one = FaultSelection()
    one.count = 1
    let (report, seen) = try run(fault(.expired), one)
    #expect(report.isRight && Set(seen.outcomes.filter { $0.status == 0 }.map(\.device)).count == 1)
  }

  /// What the model says is what libcurl says to a server of ours that does it.
  @Test(.timeLimit(.minutes(10)), arguments: failing)
  func theModelSpeaksLikeTheRealThing(problem: TLSProblem) throws {
    let server = try DevelopmentServer()
    var configuration = server.transport
    configuration.pinnedKey = try server.key
    let client = try BlockingHTTPClient(configuration)
    #expect(client.ask(server.url + "/healthz").status == 200)
    try server.place(problem)
    guard case .failed(let failure, let message) = try BlockingHTTPClient(configuration).ask(server.url + "/healthz")
    else {
      Issue.record("an answer came")
      return
    }
    let expected = try #require(problem.message(isPinned: true))
    #expect(failure == .tls && message.contains(expected), "\(message)")
    #expect(client.ask(server.url + "/healthz").status == 200, "what is connected stays so")
  }

  @Test func aClientWithoutPinsTakesAChangedKey() throws {
    let server = try DevelopmentServer()
    try server.place(.changedKey)
    #expect(try BlockingHTTPClient(server.transport).ask(server.url + "/healthz").status == 200)
    var configuration = server.transport
    configuration.checksServer = false
    try server.place(.revoked)
    #expect(try BlockingHTTPClient(configuration).ask(server.url + "/healthz").status == 200, "nothing is checked")
  }

  /// In real time the server itself shows the certificate to all devices; chosen ones fail before they get there.
  @Test(.timeLimit(.minutes(10)), arguments: [nil, 1])
  func atAServerOfOursItIsARule(chosen: Int?) throws {
    let server = try DevelopmentServer()
    var selection = FaultSelection()
    selection.count = chosen
    let fault = Fault(
      name: "old", start: .zero, duration: .seconds(36_000), selection: selection, action: fault(.expired))
    var setup = Runs.setup(seed: 5, minutes: 600, faults: [fault], Runs.drivers(2, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: server.url + "/locations", isOurs: true)
    setup.outside?.transport = server.transport
    setup.outside?.factor = 600
    let (interruption, seen) = (Interruption(), SeenEvents(from: setup.start))
    let run = try FleetRun(
      setup, to: RunDestination(of: setup) { try Runs.store() }, interruption: interruption, watchers: [seen])
    let report = try run.run { _, _ in if seen.outcomes.contains(where: { $0.status == 0 }) { interruption.request() } }
    #expect(report.ending == .signal && report.faultRefusal == nil && report.violations == [])
    #expect(report.sums.created > 0 && report.sums.stored == report.sums.created, "healed, everything was delivered")
    let metrics = try server.plain("GET", "/metrics")
    let met = !metrics.contains(#"rollingroad_faults_total{kind="certificate"} 0"#)
    #expect(met == (chosen == nil))
    #expect(try server.plain("GET", "/admin/v1/faults").contains(#""faults":[]"#))
  }

  @Test(arguments: [
    ("tls: { problem: \"slow\" }, select: { count: 1 }", "need a fault rule of a Rolling Road server"),
    ("tls: { problem: \"cut\", delay: \"3s\" }", "only a slow handshake has a delay"),
    ("tls: { problem: \"changed-key\" }", "target: { tls: { pinnedKey"),
    ("tls: { problem: \"cut\" }, select: { count: 1 }", "http://127.0.0.1:8080/locations has no TLS"),
  ])
  func whatCannotBeIsSaidBeforeTheRun(fault: String, words: String) throws {
    let host = words.contains("no TLS") ? "http://127.0.0.1:8080/locations" : "https://127.0.0.1:8443/locations"
    let text = """
      { version: 1, name: "tls", clock: { mode: "realtime", duration: "6m" }, fleets: { cars: { devices: 2, motion: "driving" } },
        faults: [{ name: "f", at: "1m", for: "1m", \(fault) }], target: { url: "\(host)" } }
      """
    let refusal = try #require(throws: ScenarioErrors.self) {
      try ScenarioReader().read(text) { RunSetup.problems(of: $0, files: .none) }
    }
    #expect(refusal.all.contains { $0.text(sources: ["f"]).contains(words) }, "\(refusal)")
    #expect(refusal.all.allSatisfy { $0.path.hasPrefix("faults[0].tls") && $0.position.line == 2 }, "\(refusal)")
  }
}

extension DevelopmentServer {
  fileprivate var transport: TransportConfiguration {
    var configuration = TransportConfiguration()
    configuration.certificateAuthorities = authority
    return configuration
  }

  /// As OpenSSL's program counts it (https://curl.se/libcurl/c/CURLOPT_PINNEDPUBLICKEY.html).
  fileprivate var key: String {
    get throws {
      let path = folder.file("data/tls/server.pem")
      let maker = try ChildProcess([
        "sh", "-c",
        "openssl x509 -in \(path) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | "
          + "openssl base64 >\(folder.file("key"))",
      ])
      try #require(maker.exitCode() == 0)
      return "sha256//" + String(decoding: try folder.read("key"), as: UTF8.self).filter { $0 != "\n" }
    }
  }

  fileprivate func place(_ problem: TLSProblem) throws {
    var tls = TLSFault()
    tls.problem = problem
    let rule = TargetFaultRule(id: "f", fault: tls.serverFault, share: 1, device: nil)
    let answer = try plain("PUT", "/admin/v1/faults", TargetFaultRule.list([rule], seed: 1))
    #expect(answer.contains(#""hits":0"#), "\(answer)")
  }

  /// Without TLS.
  fileprivate func plain(_ method: String, _ path: String, _ body: [UInt8] = []) throws -> String {
    let client = try BlockingHTTPClient(TransportConfiguration())
    guard case .answered(_, _, let answer) = client.ask(server.url + path, by: method, body: body) else { return "" }
    return String(decoding: answer, as: UTF8.self)
  }
}
