import Base
import Contract
import CurlTransport
import IngestServer
import Oracle
import Scenario
import Support
import Synchronization
import Testing
import World

@testable import FleetSimulator

/// What a run over sockets says of servers that do not keep what they acknowledge.
@Suite struct StrangeServerTests {
  private func setup(_ url: String, _ edit: (inout RunSetup) -> Void = { _ in }) -> RunSetup {
    var setup = Runs.setup(seed: 3, minutes: 3, Runs.drivers(2, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: url)
    setup.outside?.factor = 300
    edit(&setup)
    return setup
  }

  private func run(_ setup: RunSetup) throws -> RunReport {
    try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: []).run()
  }

  /// Whoever stands between the phone and the server says 200, and the SDK believes it: nothing in the scenario excuses that.
  @Test func aPageThatNoFaultExplainsIsTheTargetsOwn() throws {
    let portal = try BareServer { _ in
      .text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n\n<html>log in!</html>")
    }
    let report = try run(setup(portal.url + "locations") { $0.outside?.preset = .traccar })
    #expect(report.sums.created > 0 && report.sums.misled == report.sums.created && report.sums.lost == 0)
    #expect(!report.isRight && report.sums.isBalanced && report.remarks == [])
    #expect(report.violations.allSatisfy { $0.rule == .ackedIsDurable && $0.what.contains("with a page of HTML") })
  }

  /// SDK §8.1.4: a backend may tell the platforms apart by it.
  @Test(arguments: [LatencySource?.none, .modelled]) func aRequestSaysFromWhichPlatformItComes(
    lockstep: LatencySource?
  ) throws {
    let agents = Mutex<Set<String>>([])
    let server = try BareServer { request in
      let values = request.values(of: "User-Agent")
      agents.withLock { $0.formUnion(values) }
      return .ok()
    }
    let report = try run(
      setup(server.url + "locations") { setup in
        setup.fleets = [DevicePlatform.ios, .android].map { platform in
          Runs.drivers(1, name: "\(platform)", configuration: Runs.configuration(platform), radio: .constant(.lte))
        }
        setup.outside?.lockstep = lockstep
      })
    #expect(report.sums.created > 0)
    #expect(agents.withLock { $0 } == ["BGGeoSim/1 (iOS)", "BGGeoSim/1 (Android)"])
  }

  /// A foreign server that can be asked which records it has, and has dropped one of those that it acknowledged.
  @Test func aRecordThatAForeignServerDroppedIsNamed() throws {
    let shelf = Shelf()
    let server = try BareServer { request in
      if request.lines[0].hasPrefix("GET") { return .ok(shelf.list(request.lines[0])) }
      shelf.take(request)
      return .ok()
    }
    let setup = setup(server.url + "locations") { setup in
      setup.outside?.isOurs = true
      setup.outside?.verification.method = .query
      setup.outside?.verification.url = "/items?device={device}"
      setup.outside?.verification.uuids = "$.items[*].id"
    }
    let report = try run(setup)
    let dropped = try #require(shelf.dropped)
    #expect(report.sums.lost == 1 && report.sums.stored == report.sums.created - 1)
    #expect(report.violations.map { $0.uuid?.text } == [dropped], "\(report.violations)")
    #expect(report.violations.map(\.rule) == [.ackedIsDurable])
  }

  /// A server with a route for every path is none of ours, and has verified nothing.
  @Test func anAnswerThatIsNoVerificationVerifiesNothing() throws {
    let server = try BareServer { _ in .ok("{}") }
    let report = try run(setup(server.url + "locations") { $0.outside?.isOurs = true })
    #expect(report.sums.created > 0 && report.sums.stored == 0)
    #expect(
      report.proofRefusal == "/admin/v1/verify: the answer has no list 'missingRecords', as one of Rolling Road has")
    #expect(report.verification.outcome == .failed)
  }

  @Test func tokensAreFetchedAndShownOverSockets() throws {
    let server = try Runs.server { $0.authentication = .required }
    defer { server.stop() }
    let report = try run(
      setup(server.url + "/locations") { setup in
        setup.outside?.isOurs = true
        var authorization = TargetAuthorization()
        authorization.strategy = .jwt
        setup.authorization = authorization
      })
    #expect(report.violations == [] && report.proofRefusal == nil)
    #expect(report.sums.created > 0 && report.sums.stored == report.sums.created)
  }
}

/// The records of a server that keeps all but the first, and each once: a request that the end of the run cut off comes
/// again (SDK §9.4).
private final class Shelf: Sendable {
  private struct State {
    var dropped: String?
    var kept: [(device: String, uuid: String)] = []
  }

  private let state = Mutex(State())

  var dropped: String? { state.withLock { $0.dropped } }

  func take(_ request: BareServer.Request) {
    let device = request.values(of: "X-Device-Id").first ?? ""
    let text = String(decoding: request.body, as: UTF8.self)
    for part in text.split(separator: "\"uuid\":\"").dropFirst() {
      let uuid = part.prefix { $0 != "\"" }.lowercased()
      state.withLock { state in
        if state.dropped == nil { state.dropped = uuid }
        if state.dropped != uuid, !state.kept.contains(where: { $0.uuid == uuid }) { state.kept.append((device, uuid)) }
      }
    }
  }

  /// What it has of the device that the request line names.
  func list(_ line: String) -> String {
    let device = line.split(separator: "device=").last?.prefix { $0 != " " } ?? ""
    let items = state.withLock { $0.kept.filter { $0.device == device }.map { "{\"id\":\"\($0.uuid)\"}" } }
    return "{\"items\":[\(items.joined(separator: ","))]}"
  }
}
