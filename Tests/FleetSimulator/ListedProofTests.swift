import BackendStore
import Base
import CurlTransport
import Oracle
import Scenario
import Store
import Support
import Testing

@testable import FleetSimulator

/// Proofs by a store that is read as a whole, and by pages of any form.
@Suite struct ListedProofTests {
  private static func uuid(_ number: Int) -> UUID128 { UUID128(high: 0x4000, low: UInt64(number) | 1 << 63) }

  private func proof(_ lines: [String]) throws -> (proof: ListedProof, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "stored")
    var place = StorePlace()
    place.file = folder.file("stored")
    let view = try #require(place.view(fields: []))
    return (ListedProof(KeptSession(view), devices: ["a", "b", "c"]), folder)
  }

  private func difference(_ sent: RecordContent, _ uuid: UUID128, _ device: String, _ proof: ListedProof) -> String? {
    proof.content(of: uuid, of: device).flatMap { sent.comparison(with: $0).difference }
  }

  /// A record may be filed under a name that no phone of the run has, or under none.
  @Test func aRecordIsFoundUnderAnyName() throws {
    let (proof, folder) = try proof([
      "{\"device\":\"a\",\"uuid\":\"\(Self.uuid(1).text)\"}", "{\"device\":\"A\",\"uuid\":\"\(Self.uuid(2).text)\"}",
      "{\"device\":null,\"uuid\":\"\(Self.uuid(3).text)\"}", "{\"device\":\"b\",\"uuid\":\"\(Self.uuid(1).text)\"}",
      "{\"device\":\"anonymous\",\"uuid\":\"\(Self.uuid(1).text)\"}",
    ])
    let keys = (1...4).map { PointKey(recordedAt: 0, uuid: Self.uuid($0)) }
    #expect(proof.missing(keys, of: "a")?.map(\.uuid) == (2...4).map(Self.uuid))
    #expect((2...4).map { proof.holder(of: Self.uuid($0)) } == ["A", "(none)", nil])
    var pairs: [String] = []
    proof.forEachOfTwoDevices { pairs.append("\($0 == Self.uuid(1)) \($1) \($2)") }
    #expect(pairs.sorted() == ["true a anonymous", "true a b", "true b anonymous"])
    withExtendedLifetime(folder) {}
  }

  /// Another process simulates "b".
  @Test func aRecordIsFoundUnderADeviceOfAnotherShard() {
    let proof = ListedProof(Shelf(), devices: ["a"], others: ["b", "c"])
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a")?.count == 1)
    #expect(proof.holder(of: Self.uuid(1)) == "b")
  }

  /// What "a" has sent is listed for "b" too, or for it alone: another process asks for that, and does not know of it.
  @Test func aRecordIsSeenUnderADeviceOfAnotherShardToo() {
    let proof = ListedProof(Shelf(doubled: true), devices: ["a"], others: ["b", "c"])
    let keys = [1, 2].map { PointKey(recordedAt: 0, uuid: Self.uuid($0)) }
    #expect(proof.missing(keys, of: "a")?.count == 1)
    var pairs: [String] = []
    proof.forEachOfTwoDevices { pairs.append("\($0 == Self.uuid(2)) \($1) \($2)") }
    #expect(pairs == ["true a b", "true a c"] && proof.rowsElsewhere == 3)
  }

  /// The one reading has told of the devices of other shards, too.
  @Test func aStoreOfAllDevicesShowsThoseOfOtherShards() throws {
    let folder = try TemporaryFolder()
    let rows = ["a", "b"].map { #"{"device":"\#($0)","uuid":"\#(Self.uuid(1).text)"}"# }
    try folder.write(Array(rows.joined(separator: "\n").utf8), to: "stored")
    var place = StorePlace()
    place.file = folder.file("stored")
    let proof = ListedProof(KeptSession(try #require(place.view(fields: []))), devices: ["a"], others: ["b", "c"])
    let keys = [1, 2].map { PointKey(recordedAt: 0, uuid: Self.uuid($0)) }
    #expect(proof.missing(keys, of: "a")?.map(\.uuid) == [Self.uuid(2)] && proof.holder(of: Self.uuid(2)) == nil)
    var pairs: [String] = []
    proof.forEachOfTwoDevices { pairs.append("\($1) \($2)") }
    #expect(pairs == ["a b"] && proof.rowsElsewhere == 1)
  }

  @Test func oneReadingProvesAllDevices() throws {
    let rows = [("a", 3), ("b", 1), ("a", 2), ("a", 3), ("stranger", 9), ("b", 7)].map { device, number in
      #"{"device":"\#(device)","uuid":"\#(Self.uuid(number).text)","lat":\#(number)}"#
    }
    let (proof, folder) = try proof(rows)
    let keys = [1, 2, 3].map { PointKey(recordedAt: 0, uuid: Self.uuid($0)) }
    #expect(proof.missing(keys, of: "a")?.map(\.uuid) == [Self.uuid(1)])
    #expect(proof.holder(of: Self.uuid(1)) == "b" && proof.holder(of: Self.uuid(9)) == "stranger")
    var seen: [UUID128] = []
    proof.forEachRecord(of: "a") { seen.append($1) }
    #expect(seen == [2, 3, 3].map(Self.uuid))
    let sent = try #require(RecordContent(sent: Array(#"{"coords":{"latitude":2.5}}"#.utf8)))
    #expect(difference(sent, Self.uuid(2), "a", proof) == "latitude 2.0 instead of 2.5" && proof.comparesContents)
    #expect(proof.missing(keys, of: "c")?.count == 3 && proof.refusal == nil)
    withExtendedLifetime(folder) {}
  }

  /// A source that is read device by device, and where nothing but "b" has the record 1.
  private final class Shelf: RecordSource {
    let place = "the shelf"
    /// Of these there is no list, or none that can be read.
    private let absent: Set<String>
    private let broken: Set<String>
    /// "b" has what the others have, too.
    private let doubled: Bool
    private(set) var readings = 0

    init(absent: Set<String> = [], broken: Set<String> = [], doubled: Bool = false) {
      (self.absent, self.broken, self.doubled) = (absent, broken, doubled)
    }

    func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
      readings += 1
      if device.count > 1 { throw StoreViewError(text: "status 404", isAbsence: true) }
      if absent.contains(device) { throw StoreViewError(text: "status 404", isAbsence: true) }
      if broken.contains(device) { throw StoreViewError(text: "ended with 1") }
      for number in device != "b" ? [2] : doubled ? [1, 2] : [1] {
        let uuid = ListedProofTests.uuid(number)
        take(StoredRecord(.object([("lat", .number("1.5"))]), fields: [], uuid: uuid))
      }
      return ListEnd()
    }
  }

  /// "c" cannot be read; that "a" and "b" both have the record 2 is seen all the same.
  @Test func whatIsTwiceInTheReadListsIsSeen() {
    let proof = ListedProof(Shelf(broken: ["c"], doubled: true), devices: ["c", "a", "b"])
    let keys = [PointKey(recordedAt: 0, uuid: Self.uuid(2))]
    #expect(proof.missing(keys, of: "a") == [] && proof.missing(keys, of: "b") == [])
    #expect(proof.missing(keys, of: "c") == nil && proof.refusal != nil)
    var (pairs, rows) = ([String](), [String]())
    proof.forEachOfTwoDevices { pairs.append("\($0 == Self.uuid(2)) \($1) \($2)") }
    proof.forEachRecord(of: nil) { device, _ in rows.append(device) }
    #expect(pairs == ["true a b"] && rows == ["a", "b", "b"])
  }

  /// A source that lists the same for each device, or for each of the run.
  private final class Heap: RecordSource {
    let place = "the heap"
    private let knowsDevices: Bool

    init(knowsDevices: Bool) { self.knowsDevices = knowsDevices }

    func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
      guard !knowsDevices || ["a", "b"].contains(device) else {
        throw StoreViewError(text: "status 404", isAbsence: true)
      }
      for number in 1...2 {
        take(StoredRecord(.object([]), fields: [], uuid: ListedProofTests.uuid(number)))
      }
      return ListEnd()
    }
  }

  /// Where nothing says to which device an entry belongs, a device that does not exist tells a list of all from a store that mixes
  /// them up.
  @Test(arguments: [true, false]) func aListOfAllDevicesIsNoStoreThatMixesThemUp(knowsDevices: Bool) {
    let proof = ListedProof(Heap(knowsDevices: knowsDevices), devices: ["a", "b"])
    #expect(proof.missing(Self.one, of: "a") == [])
    let two = [PointKey(recordedAt: 0, uuid: Self.uuid(2))]
    #expect((proof.missing(two, of: "b") == []) == knowsDevices)
    #expect(
      proof.refusal
        == (knowsDevices
          ? nil
          : "the heap: 'a', 'b' and a device that does not exist have the same list: it is not asked for one device"))
    var pairs = 0
    proof.forEachOfTwoDevices { _, _, _ in pairs += 1 }
    #expect(pairs == (knowsDevices ? 2 : 0))
  }

  /// The list of a device of another shard shows it, too.
  @Test func aListOfAllDevicesIsSeenFromAShard() {
    let proof = ListedProof(Heap(knowsDevices: false), devices: ["a"], others: ["b"])
    #expect(proof.missing(Self.one, of: "a") == [] && proof.refusal == nil)
    proof.forEachOfTwoDevices { _, _, _ in }
    #expect(proof.refusal != nil)
  }

  /// A list that is there only a moment later.
  private final class Newborn: RecordSource {
    let place = "the newborn"
    private var absences: Int

    init(absences: Int) { self.absences = absences }

    func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
      absences -= 1
      if absences >= 0 { throw StoreViewError(text: "status 404", isAbsence: true) }
      take(StoredRecord(.object([]), fields: [], uuid: ListedProofTests.uuid(1)))
      return ListEnd()
    }
  }

  @Test(arguments: [3, 100]) func aListThatIsNotThereYetIsWaitedFor(absences: Int) {
    let proof = ListedProof(
      Newborn(absences: absences), devices: ["a"], retries: ListRetries([0, 0, 0], longer: 0))
    #expect(proof.missing(Self.one, of: "a") == (absences < 100 ? [] : nil))
    #expect((proof.refusal == nil) == (absences < 100))
  }

  private static let one = [PointKey(recordedAt: 0, uuid: uuid(1))]

  /// Shows one record more at each reading; the last one never.
  private final class Laggard: RecordSource {
    let place = "the laggard"
    private let hiddenReadings: Int
    private(set) var readings = 0

    init(hiddenReadings: Int) { self.hiddenReadings = hiddenReadings }

    func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
      readings += 1
      for number in 0..<max(0, min(7, readings - hiddenReadings)) {
        take(StoredRecord(.object([]), fields: [], uuid: ListedProofTests.uuid(number)))
      }
      return ListEnd()
    }
  }

  private static let eight = (0..<8).map { PointKey(recordedAt: 0, uuid: uuid($0)) }

  @Test(arguments: [1, 3]) func whatComesLateIsNotLost(_ hiddenReadings: Int) {
    let laggard = Laggard(hiddenReadings: hiddenReadings)
    let proof = ListedProof(laggard, devices: ["a"], retries: ListRetries([0, 0, 0], longer: 0))
    #expect(proof.missing(Self.eight, of: "a")?.map(\.uuid) == [Self.uuid(7)])
    #expect(proof.lateRecords == 7 && proof.refusal == nil)
    let readings = laggard.readings
    // One that is missing in the end is not waited for again.
    #expect(proof.missing(Self.eight, of: "a")?.count == 1 && laggard.readings == readings)
  }

  @Test func aListThatShowsNothingMoreIsGivenUp() {
    let laggard = Laggard(hiddenReadings: 9)
    let proof = ListedProof(laggard, devices: ["a"], retries: ListRetries([0, 0, 0], longer: 0))
    #expect(proof.missing(Self.eight, of: "a")?.count == 8 && laggard.readings == 4 && proof.lateRecords == 0)
  }

  /// A search asks every device, those too that never uploaded.
  @Test func aListThatASearchCannotReadTakesNoVerdictAway() {
    let shelf = Shelf(absent: ["b"], broken: ["c"])
    let proof = ListedProof(shelf, devices: ["a", "b", "c"])
    #expect(proof.missing(Self.one, of: "a")?.count == 1)
    #expect(proof.holder(of: Self.uuid(1)) == nil && proof.holder(of: Self.uuid(7)) == nil)
    #expect(proof.refusal == nil && shelf.readings == 4)
    // Where others have lists, a device without one has no records.
    #expect(proof.missing(Self.one, of: "b")?.count == 1 && proof.refusal == nil)
    #expect(proof.missing(Self.one, of: "c") == nil && proof.refusal == "ended with 1")
  }

  @Test func whereNoDeviceHasAListNothingIsProven() {
    let proof = ListedProof(Shelf(absent: ["a", "b"]), devices: ["a", "b"])
    #expect(proof.missing(Self.one, of: "a") == nil)
    #expect(proof.refusal?.contains("no other device has a list") == true)
  }

  @Test func aSearchForWhatIsMissingForgetsNoContents() throws {
    let proof = ListedProof(Shelf(), devices: ["a", "b", "c"])
    let sent = try #require(RecordContent(sent: Array(#"{"lat":2.5}"#.utf8)))
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a")?.count == 1)
    #expect(proof.holder(of: Self.uuid(1)) == "b")
    #expect(difference(sent, Self.uuid(2), "a", proof) == "latitude 1.5 instead of 2.5")
    #expect(proof.missing([], of: "b") == [] && difference(sent, Self.uuid(1), "b", proof) != nil)
    #expect(proof.content(of: Self.uuid(2), of: "a") == nil, "its turn is over")
  }

  /// An upload that is kept as it came has an `id` of its own, which is none of a record.
  @Test func aStoreOfWholeUploadsProvesNothing() throws {
    let record = "{\"uuid\":\"\(Self.uuid(1).text)\",\"coords\":{\"latitude\":1.5,\"longitude\":2.5}}"
    let (proof, folder) = try proof(["{\"device\":\"a\",\"id\":\"\(Self.uuid(9).text)\",\"location\":[\(record)]}"])
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a") == nil)
    #expect(proof.refusal?.contains("\"$.location[*]\"") == true, "\(proof.refusal ?? "")")
    withExtendedLifetime(folder) {}
  }

  /// What a record has beside its place may hold uuids too.
  @Test func aRecordWithAListOfUUIDsIsARecord() throws {
    let extras = "{\"orders\":[{\"id\":\"\(Self.uuid(8).text)\"}]}"
    let (proof, folder) = try proof([
      "{\"device\":\"a\",\"id\":\"\(Self.uuid(1).text)\",\"lat\":1.5,\"lon\":2.5,\"extras\":\(extras)}"
    ])
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a") == [])
    withExtendedLifetime(folder) {}
  }

  @Test func aStoreWithoutUUIDsProvesNothing() throws {
    let (proof, folder) = try proof([#"{"device":"a","number":1}"#])
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a") == nil)
    #expect(proof.refusal?.contains("no entry has a uuid") == true)
    withExtendedLifetime(folder) {}
  }

  @Test func aStoreOfAllDevicesMustSayWhoseItsRecordsAre() throws {
    for line in ["{\"uuid\":\"\(Self.uuid(1).text)\"}", Self.uuid(1).text] {
      let (proof, folder) = try proof([line])
      #expect(proof.missing(Self.one, of: "a") == nil)
      #expect(proof.refusal?.contains("add a column 'device'") == true, "\(proof.refusal ?? "")")
      withExtendedLifetime(folder) {}
    }
    // A device may be described beside its name.
    let described = #"{"uuid":"\#(Self.uuid(1).text)","device":{"model":"x"},"device_id":"a"}"#
    let (proof, folder) = try proof([described])
    #expect(proof.missing(Self.one, of: "a") == [] && proof.refusal == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func timesThatNothingCanBeComparedWithAreCounted() throws {
    let rows = [(1, "2026-07-28 18:34:22"), (2, "2026-07-28T18:34:22Z")].map { number, time in
      #"{"device":"a","uuid":"\#(Self.uuid(number).text)","time":"\#(time)"}"#
    }
    let (proof, folder) = try proof(rows)
    let sent = try #require(RecordContent(sent: Array(#"{"timestamp":"2026-07-28T18:34:22.000Z"}"#.utf8)))
    var tally = ContentComparisons<Int>()
    for number in [1, 2] {
      let comparison = sent.comparison(with: try #require(proof.content(of: Self.uuid(number), of: "a")))
      #expect(comparison.difference == nil)
      tally.note(comparison, of: number)
    }
    #expect(tally.unreadTimes == 1 && tally.lacking.isEmpty && proof.comparesContents)
    withExtendedLifetime(folder) {}
  }

  /// What a store is said to keep is missed, also where it shows it of no record; nought and what is not known is not.
  @Test func whatIsKeptIsMissedWhereNoRecordHasIt() throws {
    let rows = [1, 2].map { #"{"device":"a","uuid":"\#(Self.uuid($0).text)","time":"2026-07-28T18:34:22Z"}"# }
    let (proof, folder) = try proof(rows)
    let records = [#""speed":3.5},"extras":{"a":1},"odometer":0"#, #""speed":-1},"battery":{"level":0.5}"#]
    func lacking(_ kept: [KeptField]) throws -> [String] {
      var tally = ContentComparisons<Int>(promised: kept)
      for (number, record) in records.enumerated() {
        let text = #"{"timestamp":"2026-07-28T18:34:22.000Z","event":"geofence","coords":{\#(record)}"#
        let sent = try #require(RecordContent(sent: Array(text.utf8)))
        let stored = try #require(proof.content(of: Self.uuid(number + 1), of: "a"))
        tally.note(sent.comparison(with: stored), of: number)
      }
      return tally.lacking.map { "\($0.first): \($0.fields.text), \(tally.reason(for: $0.fields))" }.sorted()
    }
    let remedy =
      ", which the store is said to keep, and shows for no record: if it has another name there, verify.fields names it"
    #expect(try lacking([]) == [])
    #expect(try lacking([.speed, .odometer]) == ["0: coords.speed\(remedy)"])
    #expect(try lacking([.extras, .battery]) == ["0: extras\(remedy)", "1: battery.level\(remedy)"])
    #expect(try lacking([.event, .geofence, .provider, .unknown]) == ["0: event\(remedy)"])
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    ("{\"uuid\":\"U\"}\n{\"uuid\":\"U\"}\n", "$[*].uuid", 2), ("{\"uuid\":\"U\"}", "$[*].uuid", 1),
    ("{\"rows\":[{\"id\":\"U\"}]}", "$.rows[*].id", 1), ("[]", "$[*].uuid", 0), ("{\"rows\":[]}", "$.rows[*].id", 0),
    ("{\"uuid\":\"U\"}\nnot JSON\n", "$[*].uuid", nil), ("{\"lines\":[]}", "$.rows[*].id", nil),
    ("[{\"location_id\":\"U\"},{\"id\":7,\"raw\":{\"uuid\":\"U\"}}]", "$[*]", 2), ("[\"U\"]", "$[*]", 1),
    ("U\nU\n", "$[*]", 2), ("null", "$[*]", 0), ("{\"rows\":null}", "$.rows[*]", 0), ("", "$[*]", nil),
    ("[{\"uuid\":\"x\"}]", "$[*].uuid", nil), ("<html>", "$[*]", nil),
  ])
  func pagesAreReadAsJSONOrAsLines(body: String, path: String, count: Int?) throws {
    let bytes = body.split(separator: "U", omittingEmptySubsequences: false).joined(separator: Self.uuid(1).text)
    let server = try BareServer { _ in .ok(bytes) }
    let client = try BlockingHTTPClient(.init(), keepsHeads: true)
    let source = QuerySource(client, .init(url: server.url, path: path), headers: [], seed: 1, deviceCount: 1)
    var found = 0
    do throws(StoreViewError) {
      _ = try source.read("a") { if $0.uuid == Self.uuid(1) { found += 1 } }
      #expect(found == count)
    } catch { #expect(count == nil, "\(error.text)") }
  }

  @Test(arguments: [(404, true), (500, false)])
  func aListThatIsMissingIsNoListThatFails(status: Int, isAbsence: Bool) throws {
    let server = try BareServer { _ in .text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
    let client = try BlockingHTTPClient(.init(), keepsHeads: true)
    let source = QuerySource(client, .init(url: server.url, path: "$[*]"), headers: [], seed: 1, deviceCount: 1)
    let problem = try #require(throws: StoreViewError.self) { try source.read("a") { _ in } }
    #expect(problem.isAbsence == isAbsence && problem.text.hasSuffix(": status \(status)"))
  }

  @Test func aCursorLeadsThroughThePages() throws {
    let server = try BareServer { request in
      let line = request.lines[0]
      let number = Int(line.split(separator: "=").last?.prefix { $0.isNumber } ?? "") ?? 0
      let next = number < 2 ? "\"\(number + 1)\"" : "null"
      return .ok("{\"rows\":[{\"uuid\":\"\(Self.uuid(number + 1).text)\"}],\"next\":\(next)}")
    }
    let client = try BlockingHTTPClient(.init(), keepsHeads: true)
    var question = QuerySource.Question(url: server.url + "list?after={cursor}", path: "$.rows[*].uuid")
    question.next = "$.next"
    let source = QuerySource(client, question, headers: [], seed: 1, deviceCount: 1)
    var found: [UUID128] = []
    _ = try source.read("a") { if let uuid = $0.uuid { found.append(uuid) } }
    #expect(found == [1, 2, 3].map(Self.uuid))
  }
}
