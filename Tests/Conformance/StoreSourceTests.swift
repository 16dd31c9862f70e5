import Base
import Glibc
import Scenario
import Support
import Testing

@testable import BackendStore

/// Places that records are read from, beside the ones of `StoredRecordTests`.
@Suite struct StoreSourceTests {
  private static let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

  @Test(arguments: [
    ("WHERE device = :device", "WHERE device = $1"),
    ("WHERE :device=id AND t > 'a'::text", "WHERE $1=id AND t > 'a'::text"),
    ("SELECT id::device FROM x", "SELECT id::device FROM x"), ("WHERE d = :devices", "WHERE d = :devices"),
  ])
  func theParameterIsNotTakenForACast(query: String, replaced: String) {
    #expect(DeviceParameter.replaced(in: query, by: "$1") == replaced)
    #expect(DeviceParameter.stands(in: query) == (query != replaced))
  }

  @Test func aDatabaseIsPostgreSQLsByItsURIAndShowsNoPassword() throws {
    var place = StorePlace()
    (place.database, place.query) = (
      "postgresql://reader:word@127.0.0.1:1/points", "SELECT 1 WHERE '' = :device"
    )
    let view = try #require(place.view(fields: []))
    #expect(view.place == "postgresql://reader@127.0.0.1:1/points")
    // Nothing listens there; without libpq the package that is missing is named.
    do throws(StoreViewError) {
      _ = try view.records(of: "a")
      Issue.record("nothing can be read")
    } catch {
      #expect(error.text.hasPrefix(view.place) && !error.text.contains("word"))
      #expect(error.text.contains("libpq5") || error.text.contains("port 1"), "\(error.text)")
    }
  }

  @Test(.enabled(if: Environment.postgres != nil, "ROLLINGROAD_POSTGRES names no database"))
  func rowsOfPostgreSQLAreRead() throws {
    let query = """
      SELECT '\(Self.uuid)'::uuid AS uuid, '2026-07-28 18:34:22.563+02'::timestamptz AS time, 45.519091234567::float8 AS lat,
        9007199254740993::int8 AS big, true AS is_moving, NULL::text AS nothing, '{"extras":{"k":"ü"}}'::jsonb AS raw,
        'x'::text || :device AS device
      """
    let store = PostgresView(uri: try #require(Environment.postgres), query: query, fields: [])
    let record = try #require(try store.records(of: "a").first)
    #expect(record.uuid == UUID128(text: Self.uuid.utf8.span))
    #expect(record.value("timestamp")?.instant?.iso8601Text == "2026-07-28T16:34:22.563Z")
    #expect(record.value("coords.latitude")?.double == 45.519091234567)
    #expect(record.value("big")?.shown == "9007199254740993" && record.value("is_moving")?.shown == "true")
    #expect(record.value("nothing")?.shown == "null" && record.value("extras.k")?.shown == "\"ü\"")
    #expect(record.device == "xa")
    let forbidden = PostgresView(uri: store.uri, query: "CREATE TABLE x AS SELECT :device::text", fields: [])
    #expect(throws: StoreViewError.self) { try forbidden.records(of: "a") }
  }

  /// A variable that outlives its loop gives a record the event of one before it. A store may have its own words, and a template
  /// may write the event under another name.
  @Test(arguments: [
    ("", #""event":"motionchange""#, "event motionchange, which was not sent"), ("", #""event":"MOVED""#, nil),
    ("", #""event":"unknown""#, nil), ("", #""type":"x""#, nil), (#","evt":"heartbeat""#, #""event":"heartbeat""#, nil),
    (#","event":"heartbeat""#, #""event":"heartbeat""#, nil),
    (#","event":"heartbeat""#, #""event":"motionchange""#, "event motionchange instead of heartbeat"),
  ])
  func anEventThatWasNotSentIsADifference(sent: String, stored: String, difference: String?) throws {
    let record = #"{"coords":{"latitude":1.5,"longitude":2},"activity":{},"battery":{}\#(sent)}"#
    let content = try #require(RecordContent(sent: Array(record.utf8)))
    let entry = try #require(StoredValue(Array("{\"lat\":1.5,\(stored)}".utf8)))
    #expect(content.comparison(with: RecordContent(StoredRecord(entry, fields: []))).difference == difference)
    // What has no form of a record says nothing of its event.
    let row = try #require(RecordContent(sent: Array(#"{"lat":1.5}"#.utf8)))
    #expect(row.comparison(with: RecordContent(StoredRecord(entry, fields: []))).difference == nil)
  }

  @Test func aLineThatIsNoneIsNamedAndNothingBehindItIsRead() {
    let text = Array("\(Self.uuid)\n\nno record\n\(Self.uuid)\nneither\n".utf8)
    for size in [1, 11, 1_000] {
      var lines = LineEntries(of: "f", fields: [])
      var found = 0
      var start = 0
      while start < text.count, lines.take(text[start..<min(start + size, text.count)], { _ in found += 1 }) {
        start += size
      }
      lines.end { _ in found += 1 }
      #expect(found == 1 && start < text.count)
      #expect(lines.problem?.text == "f: line 3 is neither a JSON object nor a uuid: no record")
    }
    var binary = LineEntries(of: "f", fields: [])
    binary.take(Array("a\0b\u{1B}[2J\r\n".utf8)[...]) { _ in }
    #expect(binary.problem?.text == "f: line 1 is neither a JSON object nor a uuid: a b [2J")
    var long = LineEntries(of: "f", fields: [], lineBytesMax: 2 << 20)
    let piece = [UInt8](repeating: 0x20, count: 1 << 20)
    #expect(long.take(piece[...]) { _ in } && long.take(piece[...]) { _ in } && !long.take(piece[...]) { _ in })
    #expect(long.problem?.text == "f: line 1 is longer than 2 MiB")
  }

  @Test(arguments: [
    ("echo '{\"uuid\":\"x\"}'", nil, "no entry has a uuid"),
    ("echo \(uuid)", 1, ""), ("true", 0, ""), ("false", nil, "ended with 1 and printed nothing; if"),
    ("echo x; exit 3", nil, "line 1 is neither"), ("echo '{}'; exit 3", nil, "ended with 3"),
  ])
  func whatACommandPrintsIsRead(command: String, count: Int?, words: String) throws {
    let store = PrintedStore(command: command, fields: [])
    do throws(StoreViewError) {
      let records = try store.records(of: "a")
      #expect(records.count == count)
    } catch { #expect(count == nil && error.text.contains(words), "\(error.text)") }
  }

  @Test func linesInPiecesAreTheSameLines() {
    let text = Array("\u{FEFF}{\"uuid\":\"\(Self.uuid)\"}\r\n\n\(Self.uuid)\n{\"n\":1}".utf8)
    for size in [1, 3, 40, 1_000] {
      var lines = LineEntries(of: "f", fields: [])
      var found: [Bool] = []
      var start = 0
      while start < text.count {
        lines.take(text[start..<min(start + size, text.count)]) { found.append($0.uuid != nil) }
        start += size
      }
      #expect(found == [true, true])
      lines.end { found.append($0.uuid != nil) }
      #expect(found == [true, true, false] && lines.problem == nil)
    }
  }
}

/// What of a record is compared where there are very many.
@Suite struct RecordContentTests {
  private static let sent = """
    {"timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":45.5190912,"longitude":-116.2972148,"accuracy":4.5,"speed":13.89},
     "odometer":1234.5,"is_moving":true,"extras":{"a":1,"b":[1.50,"x"]}}
    """

  private func difference(_ stored: String) throws -> String? {
    let sent = try #require(RecordContent(sent: Array(Self.sent.utf8)))
    let entry = try #require(StoredValue(Array(stored.utf8)))
    return sent.comparison(with: RecordContent(StoredRecord(entry, fields: []))).difference
  }

  /// What records lack for which one of the store has everything.
  private func lacking(_ stored: [String], sent: [String]? = nil) throws -> [String] {
    var tally = ContentComparisons<Int>()
    for (number, stored) in stored.enumerated() {
      let record = try #require(RecordContent(sent: Array((sent?[number] ?? Self.sent).utf8)))
      let entry = try #require(StoredValue(Array(stored.utf8)))
      tally.note(record.comparison(with: RecordContent(StoredRecord(entry, fields: []))), of: number)
    }
    return tally.lacking.map { "\($0.count) from \($0.first): \($0.fields.text)" }
  }

  @Test(
    arguments: [
      (#"{"lat":null}"#, "latitude"), (#"{"lat":999}"#, "latitude"), (#"{"lat":"45,519"}"#, "latitude"),
      (#"{"time":null}"#, "timestamp"), (#"{"time":"Invalid date"}"#, "timestamp"),
      (#"{"time":"0000-00-00"}"#, "timestamp"),
      (#"{"speed":"fast"}"#, "coords.speed"), (#"{"moving":"maybe"}"#, "is_moving"), (#"{"battery_level":null}"#, nil),
    ] as [(String, String?)])
  func whatOnlySomeRecordsHaveIsLacking(broken: String, field: String?) throws {
    let whole = #"{"time":1785263662563,"lat":45.5190912,"speed":13.89,"moving":true}"#
    let name = String(broken.split(separator: "\"")[1])
    let kept = ["time": "1785263662563", "lat": "45.5190912", "speed": "13.89", "moving": "true"].filter {
      $0.key != name
    }
    let rest = kept.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let record = "{\(rest),\(broken.dropFirst())"
    #expect(try lacking([whole, whole, record]) == (field.map { ["1 from 2: \($0)"] } ?? []))
    // Where no record has it, the store does not keep it, or writes it in its own way.
    #expect(try lacking([record, record]) == [])
  }

  /// What the store shows of one record as it was sent, it may not leave out of others, however many they are.
  @Test func whatFewRecordsHaveIsExpectedOfAll() throws {
    #expect(try lacking([#"{"speed":13.89}"#, "{}", "{}"]) == ["2 from 1: coords.speed"])
    #expect(try lacking([#"{"lat":45.5190912}"#, "{}", "{}"]) == ["2 from 1: latitude"])
    let (sent, none) = (#"{"event":"motionchange"}"#, #"{"lat":1}"#)
    let stored = [Int](0..<58).map { $0 % 29 < 20 ? none : sent }
    #expect(try lacking(stored, sent: stored.map { _ in sent }) == ["40 from 0: event"])
  }

  /// A store may keep crossings and motion changes in tables of their own, of which one has no column for a field.
  @Test func whatOnlyRecordsOfAnotherEventHaveIsNotExpected() throws {
    func record(_ event: String, speed: Int?) -> String {
      #"{"event":"\#(event)","coords":{\#(speed.map { "\"speed\":\($0)" } ?? "")}}"#
    }
    let sent = ["geofence", "motionchange", "motionchange"].map { record($0, speed: 3) }
    let fence = #"{"event":"geofence","speed":3}"#
    #expect(try lacking([fence, "{}", "{}"], sent: sent) == [])
    // The greater part is no table of its own.
    #expect(try lacking([fence, fence, "{}"], sent: [sent[0], sent[0], sent[1]]) == ["1 from 2: coords.speed, event"])
  }

  /// A store may leave out the activity that it takes for granted, and extras that it has no column for.
  @Test func theSameActivityAndTheSameExtrasAreExpectedOfAll() throws {
    let (still, walk) = (#"{"activity":{"type":"still"}}"#, #"{"activity":{"type":"walking"}}"#)
    #expect(try lacking([walk, "{}", "{}"], sent: [walk, still, still]) == [])
    #expect(try lacking([walk, "{}", "{}", "{}"], sent: [walk, still, still, walk]) == ["1 from 3: activity.type"])
    let (one, other) = (#"{"extras":{"a":1}}"#, #"{"extras":{"b":null}}"#)
    #expect(try lacking([one, "{}", "{}"], sent: [one, other, other]) == [])
    #expect(try lacking([one, "{}", "{}"], sent: [one, one, one]) == ["2 from 1: extras"])
  }

  /// An event in the store's own words is no event that is missing, as long as it has them for most.
  @Test func aStoreMayHaveItsOwnWordsForSomeEvents() throws {
    let (motion, fence) = (#"{"event":"motionchange"}"#, #"{"event":"geofence"}"#)
    let own = #"{"event":"motion"}"#
    #expect(try lacking([fence, own, own], sent: [fence, motion, motion]) == [])
    #expect(try lacking([motion, own, own], sent: [motion, motion, motion]) == [])
  }

  /// A template writes an empty event for a record without one, and some databases have null for it.
  @Test func anEmptyEventMayBeLeftOut() throws {
    let (none, motion) = (#"{"lat":1,"event":""}"#, #"{"lat":1,"event":"motionchange"}"#)
    #expect(try lacking([motion, motion, #"{"lat":1}"#], sent: [motion, motion, none]) == [])
    #expect(try lacking([none, none, #"{"lat":1}"#], sent: [none, none, none]) == [])
  }

  /// Some writers of JSON leave out what is nought or false, and some stores have null for what the phone does not know.
  @Test func noughtAndUnknownMayBeLeftOut() throws {
    let sent = #"{"coords":{"latitude":1,"speed":0,"heading":-1},"is_moving":false,"odometer":0}"#
    let whole = #"{"lat":45.5190912,"speed":13.89,"heading":7,"odometer":1234.5,"moving":1}"#
    let full = #"{"coords":{"latitude":45.5190912,"speed":13.89,"heading":7},"is_moving":true,"odometer":1234.5}"#
    #expect(try lacking([whole, whole, #"{"lat":1,"heading":null}"#], sent: [full, full, sent]) == [])
  }

  @Test func anEventThatMostRecordsKeepIsExpectedOfAll() throws {
    let sent = #"{"event":"geofence"}"#
    let kept = #"{"lat":1,"event":"geofence"}"#
    #expect(try lacking([kept, kept, #"{"event":"moved"}"#], sent: [sent, sent, sent]) == ["1 from 2: event"])
    // A column of that name for something else.
    #expect(try lacking([#"{"event":"upload"}"#, #"{"event":"upload"}"#], sent: [sent, sent]) == [])
  }

  /// One of the SDK's words is no word of the store's own, and a name has none.
  @Test(arguments: [
    (#"{"event":"geofence"}"#, #"{"event":"heartbeat"}"#, "event heartbeat instead of geofence"),
    (
      #"{"activity":{"type":"in_vehicle"}}"#, #"{"activity":{"type":"still"}}"#,
      "activity.type still instead of in_vehicle"
    ),
    (#"{"geofence":{"action":"EXIT"}}"#, #"{"geofence":{"action":"ENTER"}}"#, "geofence.action enter instead of exit"),
    (
      #"{"geofence":{"identifier":"home"}}"#, #"{"geofence":{"identifier":"work"}}"#,
      "geofence.identifier is not what was sent"
    ),
  ])
  func anotherWordOfTheSDKIsADifference(sent: String, stored: String, difference: String) throws {
    let record = try #require(RecordContent(sent: Array(sent.utf8)))
    let entry = try #require(StoredValue(Array(stored.utf8)))
    let comparison = record.comparison(with: RecordContent(StoredRecord(entry, fields: [])))
    #expect(comparison.difference == difference)
  }

  /// Null in every row is a column that nothing is stored in, for extras as for a speed.
  @Test(arguments: ["null", "{}"]) func extrasThatAreNowhereStoredAreNotExpected(empty: String) throws {
    let (sent, none) = (#"{"extras":{"a":1}}"#, #"{"extras":\#(empty)}"#)
    #expect(try lacking([none, none], sent: [sent, sent]) == [])
    #expect(try lacking([sent, sent, none], sent: [sent, sent, sent]) == ["1 from 2: extras"])
    #expect(try lacking([none, sent], sent: ["{}", none]) == [])
  }

  @Test func aWordOfItsOwnIsExpectedOfAllOrOfNone() throws {
    let (sent, own) = (#"{"activity":{"type":"in_vehicle"}}"#, #"{"activity":{"type":"driving"}}"#)
    #expect(try lacking([sent, sent, own], sent: [sent, sent, sent]) == ["1 from 2: activity.type"])
    #expect(try lacking([sent, sent, "{}"], sent: [sent, sent, sent]) == ["1 from 2: activity.type"])
    #expect(try lacking([own, own], sent: [sent, sent]) == [])
  }

  @Test func aStoreMayWriteActionsSmallAndLeaveOutWhatIsUnknown() throws {
    let fence = #"{"geofence":{"identifier":"home","action":"EXIT"}}"#
    let small = #"{"geofence":{"identifier":"home","action":"exit"}}"#
    #expect(try lacking([fence, fence, small], sent: [fence, fence, fence]) == [])
    let (known, unknown) = (#"{"activity":{"type":"still"}}"#, #"{"activity":{"type":"unknown"}}"#)
    #expect(try lacking([known, known, "{}"], sent: [known, known, unknown]) == [])
  }

  @Test(arguments: [
    "{}", sent, #"{"time":1785263662563,"lat":"45.51909120","lng":-116.29721481}"#,
    #"{"speed":"13.89","acc":4.50,"moving":1,"extras_json":"{\"b\":[1.5,\"x\"],\"a\":1}"}"#,
    #"{"speed":null,"odometer":1.2345e3}"#, #"{"extras":null}"#, #"{"extras":{}}"#,
  ])
  func theSameInAnySpellingIsNoChange(stored: String) throws {
    #expect(try difference(stored) == nil)
  }

  @Test(arguments: [
    (#"{"time":"2026-07-28T18:34:22.562Z"}"#, "timestamp 2026-07-28T18:34:22.562Z instead of 2026-07-28T18:34:22.563Z"),
    (#"{"lat":45.51909}"#, "latitude 45.51909 instead of 45.5190912"),
    (#"{"lon":116.2972148}"#, "longitude 116.2972148 instead of -116.2972148"),
    (#"{"speed":13.9}"#, "coords.speed is not what was sent"), (#"{"odometer":1234}"#, "odometer is not what was sent"),
    (#"{"is_moving":false}"#, "is_moving is not what was sent"),
    (#"{"extras":{"a":1}}"#, "extras is not what was sent"),
    (#"{"extras":{"a":10,"b":[1.5,"x"]}}"#, "extras is not what was sent"),
    (#"{"extras":{"a":1,"b":["x",1.5]}}"#, "extras is not what was sent"),
  ])
  func whatIsOtherwiseIsNamed(stored: String, words: String) throws {
    #expect(try difference(stored) == words)
  }
}

/// What tests are told from outside.
private enum Environment {
  static let postgres = unsafe getenv("ROLLINGROAD_POSTGRES").map { unsafe String(cString: $0) }
}
