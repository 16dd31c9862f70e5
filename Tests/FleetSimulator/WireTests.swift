import Base
import Contract
import Gzip
import JSON
import Oracle
import Scenario
import Support
import Testing
import Upload

@testable import FleetSimulator

/// What a backend sees of a fleet is what the app's configuration says.
@Suite struct WireTests {
  private static func text(_ config: String, more: String = "", clock: String = "duration: '10m', settle: '2m'")
    -> String
  {
    """
    { version: 1, name: "wire", seed: 31, clock: { \(clock) }, sdk: { config: { \(config) } },
      fleets: { cars: { devices: 2, motion: "driving", network: "wifi" } }, \(more) }
    """
  }

  /// The requests of a run in virtual time, with the device that sent each.
  private final class Sent: Watcher {
    private(set) var requests: [(device: Int, request: OutgoingRequest)] = []

    func see(_ event: SimulationEvent, _ context: EventContext) {
      if case .sent(let request) = event { requests.append((context.device, request)) }
    }
  }

  private func sent(_ text: String) throws -> (report: RunReport, requests: [(device: Int, request: OutgoingRequest)]) {
    let setup = try RunSetup(ScenarioReader().read(text).scenario)
    let sent = Sent()
    return (try FleetRun(setup, store: Runs.store(), watchers: [sent]).run(), sent.requests)
  }

  private func body(_ request: OutgoingRequest) throws -> JSONValue {
    let body = request.body
    return try JSONValue(parsing: body.span)
  }

  @Test func headersParamsExtrasAndTemplatesAreThoseOfTheApp() throws {
    let config = """
      http: { headers: { Authorization: "Bearer key", "X-FOO": "BAR-${device.index}" }, rootProperty: "data",
        params: { device_id: "${device.id}", run: "${run.seed}" }, method: "PUT" },
      persistence: { extras: { fleet: "${device.fleet}" },
        locationTemplate: '{"who":"${device.id}","lat":<%= latitude %>,"lng":<%= longitude %>,"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>"}' }
      """
    let (report, requests) = try sent(Self.text(config, more: "target: { headers: { 'x-foo': 'T-${device.id}' } }"))
    #expect(report.isRight && report.sums.stored == report.sums.created && report.sums.created > 10)
    #expect(Set(requests.map(\.device)) == [0, 1])
    for (device, request) in requests {
      let fields = request.headers.map { "\($0.name): \($0.value)" }
      #expect(request.method == "PUT" && fields.contains("Authorization: Bearer key"))
      // The target's own goes over that of the app, whatever its case.
      #expect(fields.filter { $0.lowercased().hasPrefix("x-foo") } == ["x-foo: T-cars-\(device)"])
      #expect(fields.contains("X-Device-Id: cars-\(device)"))
      let body = try body(request)
      #expect(body["device_id"] == .string("cars-\(device)") && body["run"] == .string("0x1f"))
      #expect(body["data"]?["who"] == .string("cars-\(device)") && body["data"]?["fleet"] == .string("cars"))
    }
  }

  /// Otherwise the server inside would know devices by names that the oracle does not.
  @Test func inVirtualTimeTheNamesOfDevicesAreTheRuns() throws {
    let config = "http: { url: 'https://app.example/in', headers: { 'x-device-id': 'all', 'X-Run-Id': 'one' } }"
    let (report, requests) = try sent(Self.text(config))
    #expect(report.isRight && report.sums.stored == report.sums.created && report.sums.created > 10)
    for (device, request) in requests {
      #expect(request.headers.filter { $0.name.lowercased() == "x-device-id" }.map(\.value) == ["cars-\(device)"])
      #expect(!request.headers.contains { $0.name == "X-Run-Id" } && !request.url.contains("app.example"))
    }
  }

  @Test func everyRecordSaysHowHighItIs() throws {
    for profile in ["ios-5.1", "android-5.1"] {
      let (_, requests) = try sent(
        Self.text("").replacing("sdk: {", with: "sdk: { profile: '\(profile)',"))
      for (_, request) in requests {
        let coords = try #require(try body(request)["location"]?["coords"])
        guard case .double(let altitude)? = coords["altitude"],
          case .double(let above)? = coords["ellipsoidal_altitude"]
        else { continue }
        #expect(profile == "ios-5.1" ? (20...70).contains(above - altitude) : above == altitude)
      }
      #expect(try requests.allSatisfy { try body($0.request)["location"]?["coords"]?["ellipsoidal_altitude"] != nil })
    }
  }

  private static let asks = """
    faults: [
      { name: "first", at: "5m", remote: { background_geolocation: [["uploadLog", "http://server.example/logs/a"]] } },
      { name: "then", at: "6m", remote: { background_geolocation: [
        ["destroyLog"], ["uploadLog", "http://server.example/logs/b"]] } },
    ]
    """

  /// The file inside the form of an upload.
  private func log(_ request: OutgoingRequest) throws -> String {
    let start = try #require(request.body.indices.first { request.body[$0...].starts(with: [0x1F, 0x8B, 8]) })
    let end = try #require(
      request.body[start...].indices.last { request.body[$0...].starts(with: Array("\r\n--".utf8)) })
    // Other parts of the form may follow the file.
    for last in stride(from: end, to: start, by: -1) where request.body[last...].starts(with: Array("\r\n--".utf8)) {
      do {
        return String(decoding: try GzipFile.unpack(Array(request.body[start..<last]), limit: 1 << 24), as: UTF8.self)
      } catch {
        continue
      }
    }
    return ""
  }

  @Test func aServerThatAsksForTheLogGetsIt() throws {
    for profile in ["ios-5.1", "android-5.1"] {
      let text = Self.text("logger: { logLevel: 5 }", more: Self.asks)
        .replacing("sdk: {", with: "sdk: { profile: '\(profile)',")
      let logs = try sent(text).requests.filter { $0.request.purpose == .log }
      #expect(Set(logs.map(\.device)) == [0, 1] && logs.count == 4)
      let (full, short) = (
        try log(try #require(logs.first { $0.request.url.hasSuffix("/a") }).request),
        try log(try #require(logs.first { $0.request.url.hasSuffix("/b") }).request)
      )
      #expect(full.contains("INSERT") && full.split(separator: "\n").count > 100)
      #expect(!short.isEmpty && short.split(separator: "\n").count < full.split(separator: "\n").count / 4)
    }
  }

  @Test func aLogWithoutEntriesSaysWhy() throws {
    let logs = try sent(Self.text("", more: Self.asks)).requests
      .filter { $0.request.purpose == .log }
    #expect(try log(try #require(logs.first).request).contains("this log has no entries: logger.logLevel is 0 (off)"))
  }

  /// A large fleet keeps little of each, and none without a server that can ask.
  @Test func howMuchOfALogIsKeptDependsOnTheFleet() throws {
    func kept(_ devices: Int, _ faults: String) throws -> Int {
      let text = Self.text("", more: faults).replacing("devices: 2", with: "devices: \(devices)")
      return try RunSetup(ScenarioReader().read(text).scenario).logEntriesKept
    }
    #expect(try kept(2, "") == 0)
    #expect(try kept(2, Self.asks) == 5_000 && kept(1_000, Self.asks) == 250 && kept(100_000, Self.asks) == 64)
  }

  @Test func fleetsThatUploadToDifferentServersAreTold() throws {
    let text = """
      { version: 1, name: "wire", clock: { mode: "realtime" }, fleets: {
        a: { devices: 1, config: { http: { url: "http://a.example/x" } } },
        b: { devices: 1, config: { http: { url: "http://b.example/x" } } } } }
      """
    let scenario = try ScenarioReader().read(text).scenario
    #expect {
      _ = try RunSetup(scenario)
    } throws: { error in
      (error as? UnsupportedScenarioError)?.description.contains(
        "fleets.b.config.http.url: fleets upload to different servers, http://a.example/x and http://b")
        == true
    }
  }
}
