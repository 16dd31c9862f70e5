import Base
import Database
import Scenario
import Support
import Testing

@testable import BackendStore

/// Records of stores of all sorts.
@Suite struct StoredRecordTests {
  private static let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

  private func record(_ text: String, fields: [Named<[JSONStep]>] = []) throws -> StoredRecord {
    StoredRecord(try #require(StoredValue(Array(text.utf8))), fields: fields)
  }

  @Test(arguments: [
    #"{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","coords":{"latitude":45.5}}"#,
    #"{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","lat":"45.5"}"#,
    #"{"id":"3f2504e04f8941d39a0c0305e82c3301","lat":"45.5"}"#,
    #"{"seq":1,"record":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","coords":{"latitude":45.5}}}"#,
    #"{"id":"row 1","record":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","coords":{"latitude":45.5}}}"#,
    #"{"id":"00000000-0000-4000-8000-000000000001","lat":1,"raw":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","coords":{"latitude":45.5}}}"#,
    #"{"raw":"{\"location\":{},\"uuid\":\"3F2504E0-4F89-41D3-9A0C-0305E82C3301\",\"latitude\":45.50}"}"#,
  ])
  func identityAndPlaceAreFoundWhereStoresKeepThem(text: String) throws {
    let record = try record(text)
    #expect(record.uuid == UUID128(text: Array(Self.uuid.utf8).span))
    #expect(record.value("coords.latitude")?.double == 45.5)
    #expect(record.value("extras") == nil)
  }

  /// The row's own time says when it came.
  @Test func theRecordsOwnNamesComeFirstWhereverTheyStand() throws {
    let row =
      #"{"at":"2026-07-29T00:00:00Z","time":"2026-07-29T00:00:00Z","location":{"timestamp":"2026-07-28T18:34:22Z"}}"#
    #expect(try record(row).value("timestamp")?.string == "2026-07-28T18:34:22Z")
    #expect(try record(#"{"at":"2026-07-29T00:00:00Z"}"#).value("timestamp") != nil)
  }

  @Test(arguments: [
    (#"{"device":"a"}"#, "a"), (#"{"device":{"model":"x"},"device_id":"a"}"#, "a"),
    (#"{"raw":{"device_id":"a"}}"#, "a"),
    (#"{"device":7}"#, nil),
  ])
  func aDeviceIsANameAndNoDescription(text: String, device: String?) throws {
    #expect(try record(text).device == device)
  }

  @Test func aStoreOfAllDevicesMustSayWhoseItsRecordsAre() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("\(Self.uuid)\n".utf8), to: "lines")
    let store = FileStore(path: folder.file("lines"), fields: [])
    let problem = try #require(throws: StoreViewError.self) { try store.records(of: "a") }
    #expect(problem.text.contains("no entry names its device"))
  }

  @Test func aFieldStandsWhereTheDialectSays() throws {
    let place = Named(name: "extras", value: JSONStep.steps(of: "$.more.x"))
    let record = try record(#"{"uuid":"\#(Self.uuid)","more":{"x":"{\"k\":1}"}}"#, fields: [place])
    #expect(record.value("extras.k")?.double == 1)
  }

  @Test func anElementOfAListIsAField() throws {
    let fields = [
      Named(name: "coords.latitude", value: JSONStep.steps(of: "$.geometry.coordinates[1]")),
      Named(name: "coords.longitude", value: JSONStep.steps(of: "$.text.coordinates[0]")),
      Named(name: "coords.altitude", value: JSONStep.steps(of: "$.geometry.coordinates[7]")),
    ]
    let row =
      #"{"uuid":"\#(Self.uuid)","geometry":{"coordinates":[-116.3,45.5]},"text":"{\"coordinates\":[-116.3,45.5]}"}"#
    let record = try record(row, fields: fields)
    #expect(record.value("coords.latitude")?.double == 45.5 && record.value("coords.longitude")?.double == -116.3)
    #expect(record.value("coords.altitude") == nil)
    for path in ["$.a[1]", "$[0].b[*][12]"] { #expect(TargetVerification.isPath(path)) }
    for path in ["$.a[]", "$.a[-1]", "$.a[1", "$.a[x]", "$.a[12345]"] { #expect(!TargetVerification.isPath(path)) }
  }

  /// Firestore names the type of each number.
  @Test(arguments: [(#""integerValue":"45""#, 45.0), (#""doubleValue":45.5"#, 45.5), (#""stringValue":"45""#, nil)])
  func aWholeNumberOfFirestoreIsFound(number: String, degrees: Double?) throws {
    let place = Named(name: "coords.latitude", value: JSONStep.steps(of: "$.fields.latitude.doubleValue"))
    let record = try record(#"{"uuid":"\#(Self.uuid)","fields":{"latitude":{\#(number)}}}"#, fields: [place])
    #expect(record.value("coords.latitude")?.double == degrees)
  }

  @Test func rowsOfADatabaseAreRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/points.db"
    let connection = try Connection(path: path)
    try connection.execute(
      "CREATE TABLE points (device, uuid, lat REAL, big INTEGER, doc, key BLOB); INSERT INTO points VALUES ('a', '\(Self.uuid)', 45.51909123456789, 9007199254740993, '{\"extras\":{\"k\":null}}', x'3F2504E04F8941D39A0C0305E82C3301'), ('b', 'x', 1, 1, NULL, NULL)"
    )
    let query = "SELECT key AS uuid, lat, big, doc AS raw FROM points WHERE device = :device; -- of one"
    let store = DatabaseStore(path: path, query: query, fields: [])
    let records = try store.records(of: "a")
    #expect(records.count == 1 && records[0].uuid == UUID128(text: Self.uuid.utf8.span))
    #expect(records[0].value("coords.latitude")?.double == 45.51909123456789)
    #expect(records[0].value("big")?.shown == "9007199254740993")
    #expect(records[0].value("extras.k")?.shown == "null")
    #expect(try store.records(of: "unknown").isEmpty)
  }

  @Test(arguments: [
    ("WHERE device = ?", "the query has the parameter '?'; only :device is filled in"),
    ("WHERE device = :device AND uuid <> :other", "the query has the parameter ':other'; only :device is filled in"),
    ("WHERE uuid <> ':device'", "the query has :device in a text or a comment, where it is not filled in"),
    ("WHERE device = :device; SELECT 1", "it is not one statement with at most 64 parameters"),
  ])
  func aQueryThatCannotBeAskedIsToldWithTheReason(condition: String, reason: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/points.db"
    try Connection(path: path).execute("CREATE TABLE points (device, uuid)")
    let store = DatabaseStore(path: path, query: "SELECT * FROM points \(condition)", fields: [])
    for ask in [{ try store.check() }, { _ = try store.records(of: "a") }] {
      let problem = #expect(throws: StoreViewError.self, performing: ask)
      #expect(problem?.text.hasPrefix("\(path): \(reason)") == true, "\(String(describing: problem))")
    }
  }

  @Test func aQueryThatNeverEndsIsEnded() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/points.db"
    _ = try Connection(path: path)
    let query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    var store = DatabaseStore(path: path, query: query, fields: [])
    store.timeOfQuery = .milliseconds(200)
    let problem = #expect(throws: StoreViewError.self) { try store.records(of: "a") }
    #expect(problem?.text.hasSuffix("the query took more than 200 ms") ?? false, "\(String(describing: problem))")
  }

  @Test func linesOfAFileAreReadAsFarAsTheyAreWhole() throws {
    let lines =
      "{\"device\":\"a\",\"uuid\":\"\(Self.uuid)\"}\n{\"device\":\"b\",\"uuid\":\"x\"}\n{\"device\":\"a\",\"uu"
    let folder = try TemporaryFolder()
    func records(_ file: String) throws -> [StoredRecord] {
      try FileStore(path: folder.file(file), fields: []).records(of: "a")
    }
    try folder.write(Array(lines.utf8), to: "lines")
    try folder.write(Array("not a line\n".utf8), to: "broken")
    #expect(try records("lines").count == 1)
    // A last line without an end counts when it is whole.
    try folder.write(Array("{\"device\":\"b\"}\n{\"device\":\"a\",\"uuid\":\"\(Self.uuid)\"}".utf8), to: "unended")
    #expect(try records("unended").count == 1)
    for file in ["broken", "none"] { #expect(throws: StoreViewError.self) { try records(file) } }
  }

  /// What may still become a line is none yet; anything else is not an empty store.
  @Test(arguments: [
    ("", true), ("{", true), ("{\"device\":\"a\",\"n\":12.", true), ("{\"a\":[{}],\"text\":\"\\u00", true),
    (" 3f2504e0-4f", true),
    ("urn:uu", true), ("{3f2504e0", true), ("\u{FEFF}{\"device", true),
    ("[{\"device\":\"a\",\"uuid\":\"\(uuid)\"}]", false), ("[{\"device\":\"a\"", false), ("<html>login</html>", false),
    ("null", false), ("{'device': 'a'}", false), ("{\"device\":\"a\"}{\"device\":\"a\"", false),
    ("SQLite format 3\0", false), ("\(uuid),", false),
  ])
  func aLastLineWithoutAnEndMayOnlyBeTheBeginningOfOne(rest: String, isBeginning: Bool) throws {
    let folder = try TemporaryFolder()
    let line = "{\"device\":\"a\",\"uuid\":\"\(Self.uuid)\"}\n"
    for text in [rest] + (rest.hasPrefix("\u{FEFF}") ? [] : [line + rest]) {
      try folder.write(Array(text.utf8), to: "lines")
      let store = FileStore(path: folder.file("lines"), fields: [])
      do throws(StoreViewError) {
        let count = try store.records(of: "a").count
        #expect(isBeginning && count == (text == rest ? 0 : 1), "\(text)")
      } catch { #expect(!isBeginning && error.text.contains("is neither a JSON object nor a uuid"), "\(error.text)") }
    }
  }
}
