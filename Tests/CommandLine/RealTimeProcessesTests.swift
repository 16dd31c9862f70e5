import Base
import Glibc
import JSON
import Support
import Synchronization
import Testing
import Threaded

@testable import CommandLine

/// A run at a real server that several processes share: they begin together, and a threshold that ends the run judges all of
/// them.
@Suite(.waits, .timeLimit(.minutes(5))) struct RealTimeProcessesTests {
  private let folder: TemporaryFolder
  private let server: SpokenChild
  private let url: String

  init() throws {
    folder = try TemporaryFolder()
    server = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--data", ":memory:",
    ])
    url = try server.line(beginningWith: "listening ")
  }

  private func simulate(_ scenario: String, _ words: String...) throws -> SpokenChild {
    try folder.write(Array(scenario.utf8), to: "shared.json5")
    return try SpokenChild(
      [
        BuiltProgram.path(of: "rollingroad"), "simulate", folder.file("shared.json5"), "--target", "\(url)/locations",
        "--preset", "rollingroad", "--mode", "accelerated", "--factor", "60", "--out", folder.file("out"), "--quiet",
      ] + words)
  }

  private func summary() throws -> JSONValue {
    let bytes = try folder.read("out/summary.json")
    return try JSONValue(parsing: bytes.span)
  }

  @Test func theyComeToOneResultAndLoseNothing() throws {
    let child = try simulate(
      """
      { version: 1, name: "shared", seed: 7, clock: { duration: "3m", settle: "20s" },
        fleets: { cars: { devices: 7, motion: "driving" }, walkers: { devices: 4, motion: "walking" } } }
      """, "--processes", "3")
    #expect(child.finish() == 0, "\(child.output)")
    #expect(child.output.contains("3 processes\n"))
    let summary = try summary()
    let ledger = summary["ledger"]
    #expect(ledger?["created"] != .integer(0) && ledger?["created"] == ledger?["stored"], "\(child.output)")
    #expect(summary["fleets"]?.elements.map { $0["devices"] } == [.integer(7), .integer(4)])
    // Of all devices: a shard that tells of its own would have said it thrice.
    #expect(child.output.split(separator: "\n").count { $0.contains("clauses kept in") } == 1, "\(child.output)")
  }

  /// No shard alone is told to end by it.
  @Test func aThresholdThatEndsTheRunJudgesTheWhole() throws {
    let child = try simulate(
      """
      { version: 1, name: "shared", seed: 7, clock: { duration: "60m", settle: "20s" },
        fleets: { cars: { devices: 8, motion: "driving" } },
        thresholds: { uploads: [{ threshold: "count<12", abortOnFail: true }], upload_failed: ["rate<0.5"] } }
      """, "--processes", "2")
    #expect(child.finish() == 99, "\(child.output)")
    let summary = try summary()
    #expect(summary["ending"]?.string == "threshold")
    // The last one is the limit of the generator's lag, which every run has.
    let thresholds = try #require(summary["thresholds"]).elements.dropLast()
    #expect(thresholds.map { $0["endedTheRun"] } == [.bool(true), .bool(false)], "\(thresholds)")
    #expect(thresholds.map { $0["outcome"]?.string } == ["failed", "passed"], "\(thresholds)")
    let end = try #require(summary["endedAtSeconds"]?.number)
    #expect(end < 3_600, "ended, and not by the end of the drives")
  }

  /// Two phones for four minutes, each in a process of its own, at another backend.
  private func simulate(
    at backend: BareServer, _ more: String = "", http: String = "", thresholds: String = ""
  ) throws -> SpokenChild {
    try folder.write(
      Array(
        """
        { version: 1, name: "foreign", seed: 7, clock: { mode: "accelerated", factor: 60, duration: "4m", settle: "20s" },
          sdk: { config: { http: { batchSync: true\(http) } } },
          fleets: { cars: { devices: 2, motion: "driving", network: "lte" } },
          target: { url: "\(backend.url)up", headers: { "X-Device": "${device.id}" }\(more) },
          thresholds: { generator_lag: ["count>=0"]\(thresholds) } }
        """.utf8), to: "foreign.json5")
    return try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "simulate", folder.file("foreign.json5"), "--out", folder.file("out"),
      "--quiet", "--processes", "2",
    ])
  }

  /// It was missed when it was looked at, and is met by what waits until the end.
  @Test func whatHasEndedTheRunIsMissedToTheEnd() throws {
    let backend = try BareServer { _ in .ok("{}") }
    let ending = #", records_delivered: [{ threshold: "count>=8", abortOnFail: true, delayAbortEval: "2m" }]"#
    let child = try simulate(at: backend, http: ", autoSyncThreshold: 5000", thresholds: ending)
    #expect(child.finish() == 99, "\(child.output)")
    let threshold = try #require(
      summary()["thresholds"]?.elements.first { $0["metric"]?.string == "records_delivered" })
    #expect(threshold["outcome"]?.string == "failed" && threshold["endedTheRun"] == .bool(true), "\(threshold)")
    #expect(threshold["value"]?.number ?? 0 >= 8, "\(threshold)")
  }

  private static func records(of body: [UInt8]) -> [JSONValue] {
    do {
      let location = try JSONValue(parsing: body.span)["location"]
      if case .array(let records)? = location { return records }
      return [location].compactMap(\.self)
    } catch { return [] }
  }

  /// Each process asks for the list of its own phone, and knows what it has sent itself.
  @Test func aRecordUnderPhonesOfTwoProcessesIsAViolation() throws {
    let rows = Mutex<[String: [JSONValue]]>([:])
    let backend = try BareServer { request in
      if request.lines[0].hasPrefix("GET") {
        let name = ["cars-0", "cars-1"].first(where: request.lines[0].contains)
        return .ok(JSONValue.array(rows.withLock { rows in name.flatMap { rows[$0] } ?? [] }).text)
      }
      // What is sent again is stored once, so that a request that was cut off adds no row of its own.
      rows.withLock { rows in
        for name in ["cars-0", "cars-1"] {
          let sent = Self.records(of: request.body)
          rows[name, default: []] += sent.filter { record in
            !rows[name, default: []].contains { $0["uuid"] == record["uuid"] }
          }
        }
      }
      return .ok("{}")
    }
    let child = try simulate(at: backend, #", verify: { url: "/list?device={device}" }"#)
    #expect(child.finish() == 98, "\(child.output)")
    let summary = try summary()
    let ledger = summary["ledger"]
    #expect(ledger?["duplicateRows"] == ledger?["stored"] && ledger?["stored"] != .integer(0), "\(child.output)")
    #expect(summary["verification"]?["unknownRows"] == .integer(0), "\(child.output)")
  }

  /// One phone of two is not every device.
  @Test func whatConcernsEveryDeviceIsSaidOfAllProcesses() throws {
    let backend = try BareServer { request in
      .ok(request.values(of: "X-Device") == ["cars-0"] ? #"{"background_geolocation":[["stop"]]}"# : "{}")
    }
    let one = try simulate(at: backend)
    #expect(one.finish() == 0 && !one.output.contains("every device was stopped"), "\(one.output)")
    let stopping = try BareServer { _ in .ok(#"{"background_geolocation":[["stop"]]}"#) }
    let both = try simulate(at: stopping)
    #expect(both.finish() == 99, "\(both.output)")
    #expect(both.output.contains("every device was stopped by a command in an answer, 2 of 2"), "\(both.output)")
  }

  /// What the others have found is told, and that one is missing.
  @Test func oneThatDiesTakesNothingFromTheOthers() async throws {
    let backend = try BareServer { _ in .ok("{}") }
    let scenario = """
      { version: 1, name: "shared", seed: 7, clock: { mode: "accelerated", factor: 60, duration: "10h", settle: "20s" },
        fleets: { cars: { devices: 8, motion: "driving" } }, thresholds: { upload_failed: ["rate<0.5"] },
        target: { url: "\(backend.url)up", headers: { "X-Device": "${device.id}" } } }
      """
    try folder.write(Array(scenario.utf8), to: "maimed.json5")
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "simulate", folder.file("maimed.json5"), "--out", folder.file("out"),
      "--quiet", "--processes", "2",
    ])
    // Phones of both have uploaded.
    await backend.comesTrue { seen in
      ["cars-0", "cars-1"].allSatisfy { name in seen.requests.contains { $0.values(of: "X-Device") == [name] } }
    }
    let workers = ChildrenOf.process(child.process)
    try #require(workers.count == 2)
    kill(workers[0], SIGKILL)
    #expect(child.finish() == 97, "\(child.output)")
    let summary = try summary()
    #expect(summary["ledger"]?["unverified"] != .integer(0), "\(child.output)")
    #expect(summary["missing"]?.elements.map { $0["shard"]?.string } == ["0/2"])
    #expect(summary["thresholds"]?.elements.first?["outcome"]?.string == "notJudged")
    #expect(child.output.contains("shard 0/2 is missing: process 1 of 2 was ended by signal 9"), "\(child.output)")
  }

  @Test func theyBeginAtTheTimeThatIsSaid() throws {
    let start = WallInstant(millisecondsSince1970: SystemClock().wallNow.millisecondsSince1970 + 2_500)
    let child = try simulate(
      """
      { version: 1, name: "shared", seed: 7, clock: { duration: "1m", settle: "10s" },
        fleets: { cars: { devices: 4, motion: "driving" } } }
      """, "--processes", "2", "--start-at", start.iso8601Text)
    #expect(child.finish() == 0, "\(child.output)")
    #expect(child.output.contains("note: the drives begin at \(start.iso8601Text), in "), "\(child.output)")
    let began = try #require(summary()["place"]?["start"]?.string)
    // Both are of the same form.
    #expect(began >= start.iso8601Text)
  }

  @Test(arguments: ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"]) func noRunBeginsInAnotherAge(start: String) throws
  {
    let child = try simulate("{ version: 1, name: 'shared', fleets: { cars: { devices: 1 } } }", "--start-at", start)
    #expect(child.finish() == 2)
    #expect(child.output.contains("is more than a year away"), "\(child.output)")
  }
}
