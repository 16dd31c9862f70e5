import Contract
import CurlTransport
import FleetSimulator
import IngestServer
import JSON
import Oracle
import Support
import Testing
import World

@testable import Scenario

/// The streets of a simulated city on the live page of the server that is driven at.
@Suite struct StreetTests {
  private func setup(_ url: String) -> RunSetup {
    var setup = Runs.setup(seed: 1, minutes: 1, Runs.drivers(1), Runs.drivers(1, name: "more"))
    setup.outside = OutsideSetup(url: url, isOurs: true)
    return setup
  }

  private func show(_ setup: RunSetup) throws -> String? { try setup.outside?.showStreets(of: setup) }

  private func features(_ server: IngestServer, _ path: String = "/admin/v1/map", token: String = "") throws
    -> [JSONValue]
  {
    let client = try LoopbackClient(port: server.port)
    try client.send(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n")
    let answer = try client.receiveToEnd().text
    let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
    guard case .array(let features)? = try JSONValue(parsing: String(body).utf8.span)["features"] else { return [] }
    return features
  }

  private func lines(_ kind: String, in features: [JSONValue]) -> Int {
    features.filter { $0["properties"]?["kind"] == .string(kind) }.reduce(0) { count, feature in
      guard case .array(let lines)? = feature["geometry"]?["coordinates"] else { return count }
      return count + lines.count
    }
  }

  /// Two fleets in one city show it once: 97 lines a direction, every fourth of which is no local street.
  @Test func aRunPutsTheStreetsOfItsCity() throws {
    let server = try Runs.server()
    defer { server.stop() }
    #expect(try show(setup(server.url + "/locations")) == nil)
    let features = try features(server)
    #expect(lines("artery", in: features) == 50)
    #expect(lines("street", in: features) == 144)
    #expect(lines("tunnel", in: features) > 5)
  }

  @Test func theyBelongToTheRunThatTheDevicesUploadInto() throws {
    let server = try Runs.server()
    defer { server.stop() }
    #expect(try show(setup(server.url + "/r/one/locations")) == nil)
    #expect(try features(server).isEmpty)
    #expect(try !features(server, "/r/one/admin/v1/map").isEmpty)
    var named = setup(server.url + "/locations")
    named.outside?.headers = [Named(name: "X-Run-Id", position: SourcePosition(line: 1, column: 1), value: "two")]
    #expect(try show(named) == nil)
    #expect(try !features(server, "/admin/v1/map?run=two").isEmpty)
  }

  @Test func aServerWithATokenIsToldIt() throws {
    let server = try Runs.server { $0.adminToken = "secret" }
    defer { server.stop() }
    var setup = setup(server.url + "/locations")
    #expect(try show(setup)?.contains("--admin-token") == true)
    setup.outside?.adminToken = "secret"
    #expect(try show(setup) == nil)
    #expect(try !features(server, token: "secret").isEmpty)
  }

  /// The records of a run stand where its devices put them, and there they are looked for.
  @Test func recordsAreProvenInTheRunThatTheyWentInto() throws {
    let server = try Runs.server { $0.adminToken = "secret" }
    defer { server.stop() }
    var setup = setup(server.url + "/r/one/locations")
    setup.outside?.adminToken = "secret"
    setup.outside?.factor = 300
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: []).run()
    #expect(report.proofRefusal == nil && report.violations == [])
    #expect(report.sums.created > 0 && report.sums.stored == report.sums.created)
  }
}
