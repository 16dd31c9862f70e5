import Base
import CurlTransport
import FleetSimulator
import Gzip
import IngestServer
import JSON
import Store
import Support
import Testing
import Upload

@testable import CommandLine

/// `explain`: phones drive, upload to a real server and keep their logs; then a copy of what is stored loses one record, doubles
/// one, changes one and misfiles one.
@Suite struct ExplainCommandTests {
  private static let dropped = 3, doubled = 5, changed = 7, misfiled = 9

  private static func plant(_ number: Int, _ json: String) -> [(device: String, json: String)] {
    switch number {
    case dropped: []
    case doubled: [("cars-1", json), ("cars-1", json)]
    case changed: [("cars-1", json.replacing(#""is_moving":true"#, with: #""is_moving":false"#))]
    case misfiled: [("cars-0", json)]
    default: [("cars-1", json)]
    }
  }

  @Test func plantedLossesAreToldOneByOne() throws {
    let town = try ExplainTown()
    #expect(town.records.count > 12)
    try town.write(Self.plant)
    let stories: [(Int, ExitCode, String)] = [
      (Self.dropped, .invariantViolated, "acknowledged and lost"), (Self.doubled, .invariantViolated, "stored 2 times"),
      (Self.changed, .invariantViolated, "stored changed: is_moving: false instead of true"),
      (Self.misfiled, .invariantViolated, "stored under 'cars-0' instead of 'cars-1'"),
      (Self.dropped + 1, .ok, "stored once under 'cars-1'"),
    ]
    for (number, code, words) in stories {
      let uuid = "\(town.records[number].uuid.lowerCase)"
      let call = town.explain(uuid, "--log", town.log, "--journal", town.data, "--dialect", ExplainTown.dialect)
      #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
      #expect(call.output.contains("cars-1.log:") && call.output.contains("journal #"), "\(call.output)")
    }
    // The phone and its time together: all four, and no other one.
    let all = town.explain(
      "cars-1", "--log", town.log, "--journal", town.data, "--dialect", ExplainTown.dialect, "--device", "cars-0",
      "--json")
    #expect(all.code == .invariantViolated)
    let report = try JSONValue(parsing: Array(all.output.utf8).span)
    for fate in ["acknowledged-and-lost", "stored-twice", "stored-changed", "under-another-device"] {
      #expect(report["records"]?[fate] == .integer(1), "\(all.output)")
    }
    #expect(report["records"]?["stored"] == .integer(Int64(town.records.count - 4)))
    // Without a journal: what the phone deleted was acknowledged.
    let uuid = town.records[Self.dropped].uuid.lowerCase
    let bare = town.explain(uuid, "--log", town.log, "--dialect", ExplainTown.dialect, "--device", "cars-1")
    #expect(bare.code == .invariantViolated && bare.output.contains("acknowledged and lost"), "\(bare.output)")
  }

  @Test func ourOwnServerIsJournalAndStoreInOne() throws {
    var answers: [String] = []
    let town = try ExplainTown { url in
      let call = CommandCall(["explain", "cars-1", "--journal", url, "--json"])
      #expect(call.code == .ok, "\(call.output)\(call.error)")
      answers.append(call.output)
    }
    let call = CommandCall(["explain", "cars-1", "--journal", town.data, "--json"])
    #expect(call.code == .ok, "\(call.output)\(call.error)")
    for answer in answers + [call.output] {
      let report = try JSONValue(parsing: Array(answer.utf8).span)
      #expect(report["records"]?["stored"] == .integer(Int64(town.records.count)), "\(answer)")
      #expect(report["stories"] == .array([]))
    }
  }

  /// One record of three is acknowledged and dropped by an injected fault, and one cannot be understood.
  @Test func faultsAndTheQuarantineAreTold() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.start(in: folder.file("data"))
    let uuids = (1...3).map { "3f2504e0-4f89-41d3-9a0c-0305e82c330\($0)" }
    func ask(_ method: String, _ path: String, _ body: String) throws {
      let client = try BlockingHTTPClient(TransportConfiguration())
      let outcome = client.ask(server.url + path, by: method, body: Array(body.utf8))
      guard case .answered(200...299, reason: _, _) = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
    func upload(_ uuid: String, latitude: String) throws {
      try ask(
        "POST", "/locations/phone-1",
        #"{"location":{"uuid":"\#(uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":\#(latitude),"longitude":11}}}"#
      )
    }
    try upload(uuids[0], latitude: "48.1")
    try upload(uuids[1], latitude: #""north""#)
    try ask("PUT", "/admin/v1/faults", #"{"faults":[{"id":"lost","fault":{"kind":"pretend"}}]}"#)
    try upload(uuids[2], latitude: "48.1")
    let verdicts: [(ExitCode, String)] = [
      (.ok, "stored once under 'phone-1'"), (.ok, "quarantined: unreadableCoordinate"),
      (.ok, "lost by an injected fault (pretend)"),
    ]
    func judge(_ journal: String) {
      for (uuid, (code, words)) in zip(uuids, verdicts) {
        let call = CommandCall(["explain", uuid, "--journal", journal])
        #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
      }
    }
    judge(server.url)
    server.stop()
    judge(folder.file("data"))
  }

  /// What has seen the requests may store nothing: then nothing is called lost.
  @Test func aJournalWithoutAStoreIsNoStore() throws {
    let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    let server = try BareServer { request in
      guard request.lines[0].contains("/admin/v1/requests") else {
        return .text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
      }
      return .ok(
        #"{"requests":[{"sequence":7,"receivedAt":"2026-07-28T18:34:22.563Z","device":"phone-1","method":"POST","path":"/points","#
          + #""status":200,"requestBytes":47,"body":"{\"uuid\":\"\#(uuid)\"}","answer":""}]}"#)
    }
    let call = CommandCall(["explain", uuid, "--journal", server.url])
    #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
    #expect(call.output.contains("acknowledged; no store was asked"), "\(call.output)")
    #expect(call.output.contains("journal #7"))
  }

  @Test func aPackedLogIsReadPieceByPiece() throws {
    let town = try ExplainTown()
    let packed = GzipFile.pack(try town.readLog())
    try town.folder.write(packed, to: "phone.log.gz")
    try town.folder.write(Array(packed.dropLast(9)), to: "cut.log.gz")
    let plain = CommandCall(["explain", "cars-1", "--log", town.log])
    let call = CommandCall(["explain", "cars-1", "--log", town.folder.file("phone.log.gz")])
    #expect(plain.code == .ok && call.code == .ok, "\(call.output)\(call.error)")
    #expect(call.output.replacing(town.folder.file("phone.log.gz"), with: town.log) == plain.output)
    // One that is given twice tells nothing twice.
    #expect(CommandCall(["explain", "cars-1", "--log", town.log, "--log", town.log]).output == plain.output)
    let cut = CommandCall(["explain", "cars-1", "--log", town.folder.file("cut.log.gz")])
    #expect(cut.code == .runtimeFailure && cut.error.contains("ends too early"), "\(cut.error)")
  }

  @Test(arguments: [
    ([], "UUID | DEVICE [FROM TO] is missing"), (["phone-1"], "no source is named"),
    (["phone-1", "15:11", "--log", "x"], "TO is missing"),
    (["phone-1", "noon", "16:00", "--log", "x"], "'noon' is not a time"),
    (["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "1", "2", "--log", "x"], "after the uuid"),
    (["phone-1", "--log", "x", "--utc-offset", "4"], "'4' is not an offset"),
    (["3f2504e0-4f89-41d3-9a0c-0305e82c330", "--log", "x"], "is no uuid: one has 32 hexadecimal digits"),
    (["phone-1", "--log", "x", "--gap", "0s"], "'0s' is not a duration"),
    (["phone-1", "--dialect", "bare.json5"], "has no 'verify' section"),
    (["phone-1", "--journal", "http://127.0.0.1:1", "--run", "x"], "--run is for a data folder"),
  ])
  func aMistakeIsNamed(words: [String], message: String) {
    let call = CommandCall(["explain"] + words, files: ["bare.json5": "{ version: 1 }"])
    #expect(call.code == .usage && call.error.contains(message), "\(call.error)")
  }

  /// In the order of their times, whatever that of the flags is.
  @Test func logsAreReadInTheOrderOfTheirTimes() throws {
    let town = try ExplainTown()
    let lines = try town.readLog().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let half = lines.count / 2
    let parts = [lines[..<half], lines[half...]].map { Array($0.joined(separator: [UInt8(ascii: "\n")])) }
    for (number, part) in parts.enumerated() { try town.folder.write(part, to: "\(number).log") }
    let names = ["0.log", "1.log"].map { town.folder.file($0) }
    let calls = [names, names.reversed()].map { names in
      CommandCall(["explain", "cars-1"] + names.flatMap { ["--log", $0] } + ["--json"])
    }
    #expect(calls[0].code == .ok && calls[0].output == calls[1].output, "\(calls)")
  }

  @Test(arguments: ["0001-01-01T00:00:00", "9999-12-31T23:59:59", "00:00"])
  func aTimeAtTheEndOfTheCalendarIsNoCrash(time: String) throws {
    let town = try ExplainTown()
    for offset in ["+14:00", "-12:00"] {
      let call = CommandCall([
        "explain", "cars-1", time, "9999-12-31T23:59:59Z", "--log", town.log, "--utc-offset=\(offset)",
      ])
      #expect([.ok, .runInvalid, .runtimeFailure].contains(call.code), "\(call.output)\(call.error)")
    }
  }

  /// What is read is the phone's: no list has it, a list has more, or all devices have the same list.
  @Test(arguments: [
    ("[]", "the store shows no record at all"), (#"{"uuids":[],"next":"/2"}"#, "where the next one is"),
    (#"[{"uuid":"00000000-0000-4000-8000-000000000009","ref":"UUID"}]"#, "a record's uuid stands at $.ref"),
    (#"[{"id":1,"body":"{\"location\":[{\"uuid\":\"UUID\"}]}"}]"#, "no entry has a uuid"),
  ])
  func aListThatDoesNotShowTheRecordProvesNoLoss(list: String, words: String) throws {
    let town = try ExplainTown()
    let answer = list.replacing("UUID", with: town.records[4].uuid.lowerCase)
    let store = try BareServer { _ in .ok(answer) }
    let flags = list.hasPrefix("{") ? ["--uuids", "$.uuids[*]"] : []
    let call = CommandCall(
      ["explain", "cars-1", "--log", town.log, "--verify", store.url + "?device={device}"] + flags)
    #expect(call.code == .runInvalid && call.output.contains(words), "\(call.output)\(call.error)")
  }

  @Test func aListOfAllDevicesIsNoSecondRow() throws {
    let town = try ExplainTown()
    func list(_ own: String?) -> String {
      let rows = town.records.map { record in
        own.map { #"{"device":"\#($0)","uuid":"\#(record.uuid.lowerCase)"}"# }
          ?? #"{"uuid":"\#(record.uuid.lowerCase)"}"#
      }
      return "[\(rows.joined(separator: ","))]"
    }
    for own in ["cars-1", nil] {
      let answer = list(own)
      let store = try BareServer { _ in .ok(answer) }
      for subject in [town.records[4].uuid.lowerCase, "cars-1"] {
        let call = CommandCall([
          "explain", subject, "--log", town.log, "--verify", store.url + "?device={device}",
          "--device", "cars-1", "--device", "cars-3",
        ])
        // Without names the list does not say that the records are those of the device.
        let isKnown = own != nil || subject != "cars-1"
        #expect(call.code == (isKnown ? .ok : .runInvalid), "\(call.output)\(call.error)")
        #expect(call.output.contains(isKnown ? "stored once" : "stored, and not judged"), "\(call.output)")
      }
    }
  }

  @Test func aSourceThatCannotBeReadIsNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("a poem\nin two lines\n".utf8), to: "poem.txt")
    let calls: [([String], String)] = [
      (["--log", folder.file("none.log")], "cannot read"),
      (["--log", folder.file("poem.txt")], "is not a log of the SDK"),
      (["--journal", folder.path], "name the --data folder of a server"),
      (["--journal", "http://127.0.0.1:1"], "127.0.0.1:1"),
      (["--verify", "http://127.0.0.1:1/{device}"], "the store could not be read"),
      (["--verify", folder.file("none.ndjson")], "the store could not be read: cannot read"),
      (["--verify", folder.file("poem.txt"), "--query", "SELECT :device"], "the store could not be read"),
    ]
    for (words, message) in calls {
      let call = CommandCall(["explain", "phone-1"] + words)
      #expect(call.code == .runtimeFailure && call.error.contains(message), "\(call.output)\(call.error)")
    }
  }
}
