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
    #"{"seq":1,"record":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","coords":{"latitude":45.5}}}"#,
    #"{"raw":"{\"location\":{},\"uuid\":\"3F2504E0-4F89-41D3-9A0C-0305E82C3301\",\"latitude\":45.50}"}"#,
  ])
  func identityAndPlaceAreFoundWhereStoresKeepThem(text: String) throws {
    let record = try record(text)
    #expect(record.uuid == UUID128(text: Array(Self.uuid.utf8).span))
    #expect(record.value("coords.latitude")?.double == 45.5)
    #expect(record.value("extras") == nil)
  }

  @Test func aFieldStandsWhereTheDialectSays() throws {
    let place = Named(name: "extras", value: JSONStep.steps(of: "$.more.x"))
    let record = try record(#"{"uuid":"\#(Self.uuid)","more":{"x":"{\"k\":1}"}}"#, fields: [place])
    #expect(record.value("extras.k")?.double == 1)
  }

  @Test func rowsOfADatabaseAreRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/points.db"
    let connection = try Connection(path: path)
    try connection.execute(
      "CREATE TABLE points (device, uuid, lat REAL, big INTEGER, doc); INSERT INTO points VALUES ('a', '\(Self.uuid)', 45.51909123456789, 9007199254740993, '{\"extras\":{\"k\":null}}'), ('b', 'x', 1, 1, NULL)"
    )
    let store = DatabaseStore(
      path: path, query: "SELECT uuid, lat, big, doc AS raw FROM points WHERE device = :device", fields: [])
    let records = try store.records(of: "a")
    #expect(records.count == 1)
    #expect(records[0].value("coords.latitude")?.double == 45.51909123456789)
    #expect(records[0].value("big")?.shown == "9007199254740993")
    #expect(records[0].value("extras.k")?.shown == "null")
    #expect(try store.records(of: "unknown").isEmpty)
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
    for file in ["broken", "none"] { #expect(throws: StoreProblem.self) { try records(file) } }
  }
}
