import JSON
import Support
import Synchronization
import Testing
import Threaded

@testable import CommandLine

/// `--strict` and what a server has stored.
@Suite(.waits, .timeLimit(.minutes(5))) struct StrictStorageTests {
  /// A server that takes every upload, and what it makes of its records.
  private enum Way {
    case honest, nothing, onlyTheFirst, twice, elsewhere, quarantines, countsQuarantined, losesBesideQuarantined, page
  }

  private static func location(of body: [UInt8]) -> JSONValue {
    do { return try JSONValue(parsing: body.span)["location"] ?? .null } catch { return .null }
  }

  private static func server(_ way: Way) throws -> BareServer {
    let kept = Mutex<[JSONValue]>([])
    return try BareServer { request in
      if request.lines[0].hasPrefix("POST") {
        let record = Self.location(of: request.body)
        return kept.withLock { kept in
          if way == .countsQuarantined, kept.count == 1 {
            kept.append(.null)
            return .ok(#"{"quarantined":1}"#)
          }
          kept.append(record)
          return .ok(way == .losesBesideQuarantined && kept.count == 1 ? #"{"quarantined":1}"# : "{}")
        }
      }
      if way == .page { return .ok("<html>who are you?</html>") }
      let rows = kept.withLock { list($0.filter { $0 != .null }, way, isAside: request.lines[0].contains("/aside/")) }
      return .ok(JSONValue.array(rows).text)
    }
  }

  private static func list(_ records: [JSONValue], _ way: Way, isAside: Bool) -> [JSONValue] {
    if isAside { return Array(records.prefix(1)) }
    switch way {
    case .nothing: return []
    case .onlyTheFirst: return Array(records.prefix(1))
    case .twice: return records + records.prefix(1)
    case .quarantines: return Array(records.dropFirst())
    case .losesBesideQuarantined: return Array(records.dropFirst(2))
    case .elsewhere:
      return records.map { record in
        let place: JSONValue = .object(["latitude": .double(1.5), "longitude": .double(2.5)])
        return .object([
          "uuid": record["uuid"] ?? .null, "timestamp": record["timestamp"] ?? .null, "coords": place,
        ])
      }
    case .honest, .countsQuarantined, .page: return records
    }
  }

  private func drive(_ way: Way, _ words: [String] = ["--strict"]) throws -> CommandCall {
    let server = try Self.server(way)
    return CommandCall(
      [
        "drive", "--seed", "7", "--factor", "150", "--keys", "d 200s drain", "--target", server.url,
        "--verify", "\(server.url)list/{device}",
      ] + words.map { $0 == "ASIDE" ? "\(server.url)aside/{device}" : $0 })
  }

  @Test func whatWasAcknowledgedAndIsListedIsProven() throws {
    let call = try drive(.honest)
    #expect(call.code == .ok && call.error == "" && call.output.contains(" acknowledged: all stored"), "\(call.output)")
  }

  @Test func aFileOfLinesIsLookedAtAsAListIs() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"device":"other","uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"}"#.utf8), to: "stored")
    let server = try Self.server(.honest)
    let call = CommandCall([
      "drive", "--seed", "7", "--factor", "100", "--keys", "d 200s drain", "--target", server.url, "--strict",
      "--verify",
      folder.file("stored"),
    ])
    #expect(call.code == .runtimeFailure && call.output.contains(" not stored for device 'drive'"), "\(call.output)")
  }

  @Test func whatIsNotListedFails() throws {
    let nothing = try drive(.nothing)
    #expect(
      nothing.code == .runtimeFailure && nothing.output.contains(" not stored for device 'drive', the first "),
      "\(nothing.output)")
    #expect(try drive(.onlyTheFirst).code == .runtimeFailure)
    #expect(try drive(.nothing, []).code == .ok)
  }

  @Test func whatIsStoredTwiceOrOtherwiseFails() throws {
    let twice = try drive(.twice)
    #expect(twice.code == .runtimeFailure && twice.output.contains("1 stored more than once"), "\(twice.output)")
    let elsewhere = try drive(.elsewhere)
    #expect(elsewhere.code == .runtimeFailure && elsewhere.output.contains("latitude 1.5 instead of "))
  }

  @Test func whatIsQuarantinedIsNoLoss() throws {
    #expect(try drive(.quarantines).code == .runtimeFailure)
    let told = try drive(.quarantines, ["--strict", "--quarantined", "ASIDE"])
    #expect(told.code == .ok && told.output.contains("1 quarantined: all stored"), "\(told.output)")
    #expect(try drive(.countsQuarantined).code == .ok)
    // One is listed, and its answer counts it: it excuses no other one.
    let lost = try drive(.losesBesideQuarantined, ["--strict", "--quarantined", "ASIDE"])
    #expect(lost.code == .runtimeFailure && lost.output.contains("1 quarantined: 1 not stored"), "\(lost.output)")
  }

  @Test func aQuestionThatFailsProvesNothing() throws {
    let call = try drive(.page)
    #expect(call.code == .runtimeFailure && call.output.contains("stored records could not be checked: "))
    #expect(call.output.contains("who are you?"))
  }

  @Test func simulateSucceedsStrictlyWhenTheStoreWasLookedAt() throws {
    let scenario = """
      {
        version: 1, name: "strict", seed: 3, clock: { duration: "5m", settle: "10s", mode: "accelerated", factor: 300 },
        sdk: { config: { http: { params: { device_id: "${device.id}" } } } },
        fleets: { cars: { devices: 1, motion: "driving", network: "wifi" } },
        thresholds: { generator_lag: ["count>=0"] },
      }
      """
    func run(_ way: Way) throws -> CommandCall {
      let server = try Self.server(way)
      return CommandCall(
        [
          "simulate", "strict.json5", "--quiet", "--strict", "--target", "\(server.url)up", "--set",
          "target.verify={ url: '/list/{device}' }",
        ], files: ["strict.json5": scenario])
    }
    let honest = try run(.honest)
    #expect(honest.code == .ok && honest.output.contains("strict passed"), "\(honest.output)")
    #expect(try run(.nothing).code == .invariantViolated)
  }
}

extension JSONValue {
  fileprivate var text: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
