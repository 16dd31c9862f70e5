import Base
import JSON
import Support
import Synchronization
import Testing
import Threaded

@testable import CommandLine

/// What `explain` may say of a store, and what it may not: only of devices that were asked for, and of content that was
/// compared (docs/explain.md).
@Suite(.waits) struct ExplainStoreTests {
  /// A backend that lists the records of one device; of one that it does not know it has no list.
  private struct Backend {
    let server: BareServer

    init(_ rows: [String: [String]], absent status: Int = 200, isWrapped: Bool = false) throws {
      server = try BareServer { request in
        let device = request.lines[0].split(separator: "device=").last?.prefix { $0 != " " } ?? ""
        guard let records = rows[String(device)] ?? (status == 200 ? [] : nil) else {
          return .text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        }
        let list = "[\(records.joined(separator: ","))]"
        return .ok(isWrapped ? "{\"points\":\(list),\"next\":null}" : list)
      }
    }

    var place: String { server.url + "stored?device={device}" }
  }

  private static func report(_ call: CommandCall) throws -> JSONValue {
    try JSONValue(parsing: Array(call.output.utf8).span)
  }

  @Test func nothingIsLostWhereNoDeviceWasAsked() throws {
    let town = try ExplainTown()
    let backend = try Backend(["cars-1": town.records.map(\.json)])
    let uuid = town.records[4].uuid.lowerCase
    let unasked = town.explain(uuid, "--log", town.log, "--verify", backend.place)
    #expect(unasked.code == .runInvalid, "\(unasked.output)\(unasked.error)")
    #expect(unasked.output.contains("no device was asked; give --device") && !unasked.output.contains("lost"))
    #expect(backend.server.requests.isEmpty)
    let asked = town.explain(uuid, "--log", town.log, "--verify", backend.place, "--device", "cars-1")
    #expect(asked.code == .ok && asked.output.contains("stored once under 'cars-1'"), "\(asked.output)")
    // The journal knows whose it is.
    let journaled = town.explain(uuid, "--journal", town.data, "--verify", backend.place)
    #expect(
      journaled.code == .ok && journaled.output.contains("stored once under 'cars-1' as sent"), "\(journaled.output)")
  }

  /// One reading of a file, or of a query without `:device`, tells of all devices.
  @Test func aStoreOfAllDevicesNeedsNoDevice() throws {
    let town = try ExplainTown()
    try town.write { number, json in
      switch number {
      case 2: []
      case 3: [("cars-1", json), ("cars-3", json)]
      default: [("cars-1", json)]
      }
    }
    let verdicts: [(Int, ExitCode, String)] = [
      (1, .ok, "stored once under 'cars-1'"), (2, .invariantViolated, "acknowledged and lost"),
      (3, .invariantViolated, "stored under 'cars-1' and under 'cars-3' too"),
    ]
    for (number, code, words) in verdicts {
      let call = town.explain(
        "\(town.records[number].uuid.lowerCase)", "--log", town.log, "--dialect", ExplainTown.dialect)
      #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
    }
    // Rows that do not say whose they are.
    try town.folder.write(Array(town.records.map { "\($0.uuid.lowerCase)\n" }.joined().utf8), to: "stored.ndjson")
    let bare = town.explain(town.records[1].uuid.lowerCase, "--log", town.log, "--dialect", ExplainTown.dialect)
    #expect(bare.code == .ok && bare.output.contains("stored once"), "\(bare.output)\(bare.error)")
  }

  @Test func aRecordUnderTwoDevicesIsStoredTwice() throws {
    let town = try ExplainTown()
    let record = town.records[4]
    let backend = try Backend(["cars-1": town.records.map(\.json), "cars-3": [record.json]])
    try town.write { number, json in [("cars-1", json)] + (number == 4 ? [("cars-3", json)] : []) }
    let uuid = record.uuid.lowerCase
    let calls = [
      town.explain(uuid, "--journal", town.data, "--verify", backend.place, "--device", "cars-1", "--device", "cars-3"),
      town.explain(uuid, "--log", town.log, "--verify", backend.place, "--device", "cars-1", "--device", "cars-3"),
      town.explain(uuid, "--journal", town.data, "--dialect", ExplainTown.dialect),
      town.explain("cars-1", "--journal", town.data, "--verify", backend.place, "--device", "cars-3"),
      town.explain("cars-1", "--log", town.log, "--dialect", ExplainTown.dialect),
    ]
    for call in calls {
      #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
      #expect(call.output.contains("stored under 'cars-1' and under 'cars-3' too"), "\(call.output)")
    }
  }

  @Test func whatWasNotComparedIsNotCalledAsSent() throws {
    let town = try ExplainTown()
    let uuid = town.records[4].uuid.lowerCase
    let listing = try Backend(["cars-1": town.records.map { #"{"uuid":"\#($0.uuid.lowerCase)"}"# }])
    let bare = town.explain(uuid, "--journal", town.data, "--verify", listing.place)
    #expect(
      bare.code == .ok && bare.output.contains("stored once under 'cars-1'; content not compared"), "\(bare.output)")
    let all = town.explain("cars-1", "--journal", town.data, "--verify", listing.place)
    #expect(all.code == .ok && all.output.contains("stored once, content not compared"), "\(all.output)")
    #expect(!all.output.contains("as sent"))
    // Some columns only: what they do not have was not compared.
    let times = try town.records.map { record in
      let value = try JSONValue(parsing: Array(record.json.utf8).span)
      guard case .string(let time)? = value["timestamp"] else { throw ChildProcess.Failure("no time") }
      return #"{"uuid":"\#(record.uuid.lowerCase)","timestamp":"\#(time)"}"#
    }
    let some = try Backend(["cars-1": times])
    let part = town.explain(uuid, "--journal", town.data, "--verify", some.place)
    #expect(part.code == .ok && part.output.contains("stored once under 'cars-1' as sent, except "), "\(part.output)")
    #expect(part.output.contains(", not compared"), "\(part.output)")
    // A log has the position and its time.
    let whole = try Backend(["cars-1": town.records.map(\.json)])
    let logged = town.explain(uuid, "--log", town.log, "--verify", whole.place, "--device", "cars-1")
    #expect(logged.code == .ok && !logged.output.contains("as sent"), "\(logged.output)")
    #expect(
      logged.output.contains("time and coordinates as the log shows them; other content not compared"),
      "\(logged.output)")
    let everything = town.explain("cars-1", "--journal", town.data, "--verify", whole.place)
    #expect(everything.output.contains("\(town.records.count) stored once as sent"), "\(everything.output)")
  }

  /// A log shows the position with six decimals, and its time to the second.
  @Test func aLogShowsThatTimeOrPlaceWereChanged() throws {
    let town = try ExplainTown()
    var changed: [(ExitCode, String, (inout JSONObject) throws -> Void)] = []
    func moved(_ object: inout JSONObject, by degrees: Double) throws {
      guard case .object(var coords)? = object["coords"], case .double(let latitude)? = coords["latitude"] else {
        throw ChildProcess.Failure("no coordinates")
      }
      coords["latitude"] = .double(latitude + degrees)
      object["coords"] = .object(coords)
    }
    func later(_ object: inout JSONObject, by seconds: Int64) throws {
      guard case .string(let text)? = object["timestamp"], let time = WallInstant(iso8601: text.utf8.span) else {
        throw ChildProcess.Failure("no time")
      }
      object["timestamp"] = .string(time.advanced(byMilliseconds: seconds * 1_000).iso8601Text)
    }
    changed.append((.ok, "stored once", { _ in }))
    changed.append((.invariantViolated, "which the log shows", { try moved(&$0, by: 0.000_01) }))
    changed.append((.invariantViolated, "timestamp: ", { try later(&$0, by: 8_640) }))
    changed.append((.invariantViolated, "timestamp: ", { try later(&$0, by: -60) }))
    for (code, words, change) in changed {
      let records = try town.records.map { record in
        let value = try JSONValue(parsing: Array(record.json.utf8).span)
        guard case .object(var object) = value else { return record.json }
        try change(&object)
        var writer = JSONWriter(capacity: 1_024)
        JSONValue.object(object).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
      }
      let backend = try Backend(["cars-1": records])
      let call = town.explain(
        town.records[6].uuid.lowerCase, "--log", town.log, "--verify", backend.place, "--device", "cars-1")
      #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
    }
  }

  /// The list stands in an object, which is no record: that is no loss.
  @Test func entriesWithoutUUIDsJudgeNothing() throws {
    let town = try ExplainTown()
    let backend = try Backend(["cars-1": town.records.map(\.json)], isWrapped: true)
    let uuid = town.records[4].uuid.lowerCase
    for words in [[uuid], ["cars-1"]] {
      let call = CommandCall(["explain"] + words + ["--journal", town.data, "--verify", backend.place])
      #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
      #expect(call.output.contains("no entry has a uuid") && !call.output.contains("lost"), "\(call.output)")
    }
    let named = CommandCall(
      ["explain", uuid, "--journal", town.data, "--dialect", "points.json5", "--verify", backend.place],
      files: ["points.json5": "{ version: 1, verify: { records: '$.points[*]' } }"])
    #expect(named.code == .ok && named.output.contains("stored once under 'cars-1' as sent"), "\(named.output)")
    // Rows have a uuid of their own.
    let rows = try Backend([
      "cars-1": town.records.map { #"{"id":"00000000-0000-4000-8000-000000000001","ref":"\#($0.uuid.lowerCase)"}"# }
    ])
    let other = town.explain(uuid, "--journal", town.data, "--verify", rows.place)
    #expect(other.code == .runInvalid && other.output.contains("stands at $.ref"), "\(other.output)\(other.error)")
    // The same uuids in another spelling.
    let plain = try Backend(["cars-1": town.records.map { #"{"uuid":"\#($0.uuid.lowerCase.filter { $0 != "-" })"}"# }])
    let call = town.explain(uuid, "--journal", town.data, "--verify", plain.place)
    #expect(call.code == .ok && call.output.contains("stored once under 'cars-1'"), "\(call.output)")
  }

  /// The URL is wrong, or the store has no list of anything: that is no loss.
  @Test func aStoreThatKnowsNoDeviceJudgesNothing() throws {
    let town = try ExplainTown()
    let backend = try Backend([:], absent: 404)
    for words in [[town.records[1].uuid.lowerCase], ["cars-1"]] {
      let call = CommandCall(["explain"] + words + ["--journal", town.data, "--verify", backend.place])
      #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
      #expect(call.output.contains("404") && !call.output.contains("lost"), "\(call.output)")
    }
    // One device has a list: then the other one has no records.
    let other = try Backend(["cars-0": []], absent: 404)
    let call = CommandCall([
      "explain", "cars-1", "--journal", town.data, "--verify", other.place, "--device", "cars-0",
    ])
    #expect(call.code == .invariantViolated && call.output.contains("acknowledged and lost"), "\(call.output)")
  }

  /// Of a file that was cut, or is being written, the last line has one record more: that which it names, or any.
  @Test(arguments: [(60, true), (12, false)]) func aLastLineThatIsTornHidesNoLoss(bytes: Int, isNamed: Bool) throws {
    let town = try ExplainTown()
    let rows = town.records.map { #"{"uuid":"\#($0.uuid.lowerCase)","device":"cars-1","record":\#($0.json)}"# }
    var lines = rows
    lines.swapAt(4, rows.count - 1)
    let torn = lines.removeLast()
    func explain(_ lines: [String]) throws -> (CommandCall, CommandCall) {
      try town.folder.write(
        Array((lines + [String(torn.prefix(bytes))]).joined(separator: "\n").utf8), to: "stored.ndjson")
      let flags = ["--log", town.log, "--verify", town.folder.file("stored.ndjson")]
      return (
        CommandCall(["explain", "cars-1"] + flags), CommandCall(["explain", town.records[4].uuid.lowerCase] + flags)
      )
    }
    let (all, one) = try explain(lines)
    for call in [all, one] {
      #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
      #expect(call.output.contains("stored.ndjson: of line \(rows.count), the last one, only the beginning is there"))
    }
    // It cannot have two of them.
    let (more, _) = try explain(lines.filter { !$0.contains(town.records[5].uuid.lowerCase) })
    #expect(more.code == (isNamed ? .invariantViolated : .runInvalid), "\(more.output)\(more.error)")
    #expect(more.output.contains("1 record acknowledged and lost") == isNamed, "\(more.output)")
  }

  /// It was acknowledged before the first look, and is there at the second one.
  @Test func aRecordThatComesBetweenTwoLooksIsStored() throws {
    let town = try ExplainTown()
    let looks = Atomic(0)
    let store = try BareServer { request in
      guard request.lines[0].contains("device=cars-1") else { return .ok("[]") }
      let isFirst = looks.add(1, ordering: .relaxed).oldValue == 0
      return .ok("[\(town.records.dropFirst(isFirst ? 1 : 0).map(\.json).joined(separator: ","))]")
    }
    let call = CommandCall(["explain", "cars-1", "--journal", town.data, "--verify", store.url + "?device={device}"])
    #expect(call.code == .ok && looks.load(ordering: .relaxed) == 2, "\(call.output)\(call.error)")
    #expect(call.output.contains("records: \(town.records.count) stored once as sent"), "\(call.output)")
  }

  /// A server that ignores the device, or names it in its own way.
  @Test func anEntryOfAnotherDeviceProvesNothing() throws {
    let town = try ExplainTown()
    func rows(_ device: String) -> [String] { town.records.map { #"{"device":"\#(device)","record":\#($0.json)}"# } }
    let backend = try Backend(["cars-1": rows("cars-7")])
    let journal = ["--journal", town.data, "--verify", backend.place]
    for words in [
      ["cars-1"] + journal, [town.records[4].uuid.lowerCase] + journal,
      ["cars-1", "--log", town.log, "--verify", backend.place],
    ] {
      let call = CommandCall(["explain"] + words)
      #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
      #expect(call.output.contains("the list of 'cars-1' has it as of 'cars-7'"), "\(call.output)")
      let named = CommandCall(
        ["explain"] + words + ["--dialect", "plain.json5"],
        files: ["plain.json5": "{ version: 1, verify: { fields: { device: '$.record.none' } } }"])
      #expect(named.code == .ok && named.output.contains("stored once"), "\(named.output)\(named.error)")
    }
    let own = try Backend(["cars-1": rows("cars-1")])
    #expect(CommandCall(["explain", "cars-1", "--journal", town.data, "--verify", own.place]).code == .ok)
  }

  /// What the list of a phone has, and another one has sent.
  @Test func aRecordOfAnotherPhoneIsMisfiled() throws {
    let town = try ExplainTown()
    let other = try #require(try town.records(of: "cars-0").first)
    let rows = town.records.map(\.json) + [other.json]
    let stores = [
      try Backend(["cars-1": rows]), try Backend(["cars-1": rows, "cars-0": [other.json]]),
      try Backend(["cars-1": town.records.map(\.json)]),
    ]
    let words = [
      "stored under 'cars-1' instead of 'cars-0'", "stored under 'cars-0' and under 'cars-1' too",
      "\(town.records.count) stored once as sent",
    ]
    for (store, words) in zip(stores, words) {
      let call = CommandCall(["explain", "cars-1", "--journal", town.data, "--verify", store.place])
      #expect(call.code == (words.contains("once") ? .ok : .invariantViolated), "\(call.output)\(call.error)")
      #expect(call.output.contains(words), "\(call.output)")
    }
    // The same in a file, and with a log.
    for isTwice in [false, true] {
      let own = rows.map { ("cars-1", $0) }
      let lines = (own + (isTwice ? [("cars-0", other.json)] : [])).map {
        #"{"device":"\#($0.0)","record":\#($0.1)}"# + "\n"
      }
      try town.folder.write(Array(lines.joined().utf8), to: "stored.ndjson")
      for flags in [[], ["--log", town.log]] {
        let call = CommandCall(
          ["explain", "cars-1", "--journal", town.data, "--verify", town.folder.file("stored.ndjson")] + flags)
        #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
        #expect(call.output.contains(words[isTwice ? 1 : 0]), "\(call.output)")
      }
    }
  }

  /// A server that ignores the device: its entries do not say whose they are.
  @Test func aListOfAllDevicesProvesNothingForOne() throws {
    let town = try ExplainTown()
    let all = try (town.records + town.records(of: "cars-0")).map(\.json)
    for rows in [all, town.records.map(\.json)] {
      let store = try BareServer { _ in .ok("[\(rows.joined(separator: ","))]") }
      let place = ["--verify", store.url + "?device={device}"]
      for source in [["--journal", town.data], ["--log", town.log]] {
        let call = CommandCall(["explain", "cars-1"] + source + place)
        #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
        #expect(call.output.contains("does not show whether it is under 'cars-1'"), "\(call.output)")
      }
      let one = CommandCall(
        ["explain", town.records[4].uuid.lowerCase, "--log", town.log, "--device", "cars-1"] + place)
      #expect(one.code == .ok && !one.output.contains("stored once under"), "\(one.output)\(one.error)")
    }
  }

  /// As many entries as servers list at most, and no sign of an end.
  @Test(arguments: [(100, ExitCode.runInvalid), (99, .invariantViolated)]) func aListMayBeCut(
    count: Int, code: ExitCode
  ) throws {
    let town = try ExplainTown()
    #expect(town.records.count > 100)
    let backend = try Backend(["cars-1": town.records.suffix(count).map(\.json)])
    for subject in ["cars-1", town.records[0].uuid.lowerCase] {
      let call = CommandCall(["explain", subject, "--journal", town.data, "--verify", backend.place])
      #expect(call.code == code, "\(call.output)\(call.error)")
      #expect(call.output.contains("ends at 100 entries, a usual limit") == (count == 100), "\(call.output)")
    }
  }

  /// A record that came between two pages moves the last one of the first page to the second one.
  @Test(arguments: [true, false]) func whatTwoPagesShareIsStoredOnce(isTwice: Bool) throws {
    let town = try ExplainTown()
    let rows = town.records.map(\.json)
    let looks = Atomic(0)
    let store = try BareServer { request in
      guard request.lines[0].contains("device=cars-1") else { return .ok("[]") }
      if request.lines[0].contains("page=2") {
        let isShared = isTwice || looks.add(1, ordering: .relaxed).oldValue == 0
        return .ok("[\(rows[(isShared ? 59 : 60)...].joined(separator: ","))]")
      }
      let list = "[\(rows[..<60].joined(separator: ","))]"
      let link = #"Link: <?device=cars-1&page=2>; rel="next""#
      return .text("HTTP/1.1 200 OK\r\n\(link)\r\nContent-Length: \(list.utf8.count)\r\n\r\n\(list)")
    }
    for subject in ["cars-1", town.records[59].uuid.lowerCase] {
      looks.store(0, ordering: .relaxed)
      let call = CommandCall(["explain", subject, "--journal", town.data, "--verify", store.url + "?device={device}"])
      #expect(call.code == (isTwice ? .invariantViolated : .ok), "\(call.output)\(call.error)")
      #expect(call.output.contains("stored 2 times") == isTwice, "\(call.output)")
    }
  }
}
