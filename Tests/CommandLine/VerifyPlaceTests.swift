import Database
import Support
import Testing

@testable import CommandLine

/// Where `target.verify` looks is looked at before the run: what is misspelt costs no drive.
@Suite struct VerifyPlaceTests {
  private static let scenario = """
    {
      version: 1, name: "errand", seed: 3, clock: { duration: "3m", settle: "1m" },
      fleets: { cars: { devices: 1, motion: "driving", network: "wifi" } },
    }
    """

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let database = try Connection(path: folder.file("points.db"))
    try database.execute("CREATE TABLE points (uuid TEXT, device TEXT)")
  }

  private func simulate(_ words: [String]) throws -> (call: CommandCall, uploads: Int) {
    let server = try BareServer { _ in .ok("{}") }
    let call = CommandCall(
      ["simulate", "errand.json5", "--quiet", "--mode", "lockstep", "--target", server.url + "up"] + words,
      files: ["errand.json5": Self.scenario])
    return (call, server.requests.count)
  }

  @Test func whatIsNotThereIsSaidBeforeTheRun() throws {
    let query = "SELECT uuid FROM points WHERE device = :device"
    let places: [(words: [String], reason: String)] = [
      (["--verify", folder.file("pionts.db"), "--query", query], "\(folder.file("pionts.db")): "),
      (["--verify", folder.file("points.db"), "--query", "SELECT uuid FROM pionts WHERE device = :device"], "pionts"),
      (
        ["--verify", folder.file("points.db"), "--query", "SELECT uuid, device IS NULL AS lost FROM points"],
        "no column of the query names the device; add a column 'device', or WHERE device = :device"
      ),
      (
        ["--verify", folder.file("points.db"), "--query", "SELECT count(*) FROM points"],
        "no column of the query names the device; add a column 'device', or WHERE device = :device"
      ),
      (["--verify", folder.file("points.ndjson")], "cannot read \(folder.file("points.ndjson"));"),
      (
        ["--verify", folder.file("points.db")],
        "is a database of SQLite: --query 'SELECT … WHERE device = :device' is missing"
      ),
      (["--verify", "http://127.0.0.1:1/list?device={device}"], "no answer from http://127.0.0.1:1: "),
      (["--verify", "nats://127.0.0.1:1/road"], "no answer from 127.0.0.1:1: "),
      (
        ["--verify", "postgresql://reader@127.0.0.1:1/points", "--query", query],
        "postgresql://reader@127.0.0.1:1/points: "
      ),
    ]
    for place in places {
      let (call, uploads) = try simulate(place.words)
      #expect(call.code == .runtimeFailure && uploads == 0, "\(place.words): \(call.output)")
      #expect(call.error.contains("rollingroad simulate: target.verify: "), "\(call.error)")
      #expect(call.error.contains(place.reason) && !call.error.contains("\t"), "\(call.error)")
    }
    let drive = CommandCall(["drive", "--keys", "1s", "--verify", folder.file("points.ndjson")])
    #expect(drive.code == .runtimeFailure && drive.error.contains("drive: --verify: cannot read"), "\(drive.error)")
  }

  @Test func whatIsThereIsReadAfterIt() throws {
    let query = "SELECT uuid FROM points WHERE device = :device"
    try folder.write([], to: "points.ndjson")
    for words in [
      ["--verify", folder.file("points.db"), "--query", query],
      ["--verify", folder.file("points.db"), "--query", "SELECT uuid, device FROM points"],
      ["--verify", folder.file("points.db"), "--query", "SELECT * FROM points"],
      ["--verify", folder.file("points.ndjson")],
    ] {
      let (call, uploads) = try simulate(words)
      // Nothing is in there.
      #expect(call.code == .invariantViolated && uploads > 0, "\(call.output)\(call.error)")
    }
  }

  /// As a JSON array in a file that should have lines.
  @Test func whatIsNoStoreOfLinesIsNotAnEmptyOne() throws {
    let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    try folder.write(Array("[{\"device\":\"a\",\"uuid\":\"\(uuid)\"}]".utf8), to: "points.json")
    let (file, words) = (folder.file("points.json"), "line 1 is neither a JSON object nor a uuid: [{")
    let run = try simulate(["--verify", file])
    #expect(run.call.code == .runInvalid && run.call.output.contains(words), "\(run.call.output)\(run.call.error)")
    let server = try BareServer { _ in .ok("{}") }
    let drive = CommandCall([
      "drive", "--target", server.url + "up", "--verify", file, "--factor", "100", "--keys", "d 60s s drain",
      "--strict",
    ])
    #expect(drive.code == .runtimeFailure && drive.output.contains(words), "\(drive.output)\(drive.error)")
    let asked = CommandCall(["explain", uuid, "--verify", file])
    #expect(asked.code != .invariantViolated && asked.error.contains(words), "\(asked.output)\(asked.error)")
  }

  /// Some programs write one at the beginning of a file.
  @Test func aByteOrderMarkIsNoPartOfWhatFollows() throws {
    let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
    let log =
      "\u{FEFF}2026-03-02 06:30:00.000 ✅ -[TSDataStore persist:] 💾 INSERT: \(uuid) (type: 1, persistMode: 2, maxRecords: -1)\n"
    try folder.write(Array(log.utf8), to: "phone.log")
    try folder.write(Array("\u{FEFF}{\"device\":\"a\",\"uuid\":\"\(uuid)\"}\n".utf8), to: "points.ndjson")
    let call = CommandCall(
      ["explain", "a", "--log", folder.file("phone.log"), "--verify", folder.file("points.ndjson")])
    #expect(call.code == .ok && call.output.contains("records: 1 stored once"), "\(call.output)\(call.error)")
  }
}
