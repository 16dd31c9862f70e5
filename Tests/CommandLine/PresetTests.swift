import JSON
import Support
import Testing

@testable import CommandLine

/// `--preset`: what goes over the wire to the backends of others.
@Suite struct PresetTests {
  private static let scenario = """
    {
      version: 1, name: "errand", seed: 3, clock: { duration: "90s", settle: "1m" },
      sdk: { config: { http: { batchSync: true, maxBatchSize: 5, autoSyncThreshold: 3 } } },
      fleets: { cars: { devices: 1, motion: "driving", network: "wifi" } },
    }
    """

  /// The largest upload of a phone, to a server that says yes to everything.
  private func upload(_ preset: String, path: String = "") throws -> (request: BareServer.Request, body: JSONValue) {
    let server = try BareServer { _ in .ok("{}") }
    var output = ""
    let process = ProcessContext(
      arguments: [
        "simulate", "errand.json5", "--quiet", "--mode", "lockstep", "--target", server.url + path, "--preset", preset,
      ],
      readFile: { $0 == "errand.json5" ? Array(Self.scenario.utf8) : nil }, writeOutput: { output += $0 + "\n" },
      writeError: { _ in }, errorIsTerminal: false)
    let code = CommandTable.run(process)
    // No server answers as our administration would.
    #expect(code == .ok || preset == "rollingroad", "\(output)")
    let uploads = server.requests.filter { $0.lines[0].hasPrefix("POST") && !$0.lines[0].contains("/admin/") }
    let request = try #require(uploads.max { $0.body.count < $1.body.count })
    let body = request.body
    return (request, try JSONValue(parsing: body.span))
  }

  @Test func ourOwnServerIsToldInAHeaderWhoItIs() throws {
    let (request, body) = try upload("rollingroad")
    #expect(request.lines[0] == "POST /locations HTTP/1.1" && request.values(of: "X-Device-Id") == ["cars-0"])
    guard case .array(let records)? = body["location"] else { return #expect(Bool(false), "no batch") }
    #expect(records.count > 1 && records.allSatisfy { $0["uuid"] != nil && $0["coords"]?["latitude"] != nil })
    #expect(body["device_id"] == nil)
  }

  @Test func traccarTakesOneRecordWithTheDeviceBesideIt() throws {
    let (request, body) = try upload("traccar")
    #expect(request.lines[0] == "POST / HTTP/1.1" && request.values(of: "X-Device-Id") == [])
    #expect(body["device_id"] == .string("cars-0") && body["location"]?["coords"]?["latitude"] != nil)
  }

  @Test func dawarichTakesThePlaceFlat() throws {
    let (request, body) = try upload("dawarich")
    #expect(request.lines[0] == "POST /api/v1/traccar/points HTTP/1.1")
    let record = try #require(body["location"])
    #expect(body["device_id"] == .string("cars-0") && record["coords"] == nil)
    for key in ["latitude", "longitude", "accuracy", "altitude", "speed", "heading"] {
      #expect(record[key]?.isNumber == true, "\(key): \(record)")
    }
    #expect(record["timestamp"]?.isText == true && record["uuid"]?.isText == true, "\(record)")
  }

  @Test func theConsoleTakesBatchesWithTheDeviceBesideThem() throws {
    let (request, body) = try upload("transistor-console")
    #expect(request.lines[0] == "POST /api/locations HTTP/1.1" && body["device_id"] == .string("cars-0"))
    guard case .array(let records)? = body["location"] else { return #expect(Bool(false), "no batch") }
    #expect(records.count > 1 && records.allSatisfy { $0["coords"]?["longitude"] != nil })
  }

  @Test func aTargetThatNamesAPathIsTakenAsItIs() throws {
    #expect(try upload("traccar", path: "my/own").request.lines[0] == "POST /my/own HTTP/1.1")
  }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .double: true
    default: false
    }
  }
  fileprivate var isText: Bool { if case .string = self { true } else { false } }
}
