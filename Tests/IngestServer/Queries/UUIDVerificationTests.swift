import JSON
import Testing

@testable import IngestServer

/// Records of which somebody knows the uuid and nothing else, and the pages of the list of uuids.
@Suite struct UUIDVerificationTests {
  private func verify(_ harness: SessionHarness, _ body: String, _ query: String = "") throws -> JSONValue {
    let answer = try harness.request("POST", "/admin/v1/verify\(query)", body: body)
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.json()
  }

  private func list(_ numbers: some Sequence<Int>) -> String {
    "[" + numbers.map { "\"\(SessionHarness.uuid($0))\"" }.joined(separator: ",") + "]"
  }

  private func missing(_ answer: JSONValue) -> [JSONValue?] {
    guard case .array(let records)? = answer["missingRecords"] else { return [] }
    return records.map { $0["uuid"] }
  }

  @Test func uuidsAloneAreFoundInEveryDayAndAtEveryDevice() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<100, of: "car")
    try harness.upload(1_440..<1_500, of: "bus")
    let answer = try verify(harness, list([7, 1_444, 9_999, 1_499]))
    #expect(answer["asked"] == .integer(4) && answer["stored"] == .integer(3) && answer["missing"] == .integer(1))
    #expect(missing(answer) == [.string(SessionHarness.uuid(9_999))])
  }

  @Test func theWalkGoesOnOverManyPages() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<20_000, of: "car")
    let answer = try verify(harness, list([0, 19_999]))
    #expect(answer["stored"] == .integer(2))
    #expect(try verify(harness, list([20_000]))["missing"] == .integer(1))
  }

  @Test func theFormsMeanTheSame() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<10, of: "car")
    let lines = (3..<13).map { "\"\(SessionHarness.uuid($0))\"" }.joined(separator: "\n")
    for body in [list(3..<13), "{\"uuids\":\(list(3..<13))}", lines, lines.uppercased()] {
      let answer = try verify(harness, body)
      #expect(answer["stored"] == .integer(7) && answer["missing"] == .integer(3), "\(body)")
    }
  }

  /// Whatever their first digits are, and as other systems end their lines.
  @Test(arguments: ["\n", "\r\n", "\n\n  "])
  func uuidsOneOnEachLineNeedNoQuotes(ending: String) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<10, of: "car")
    let others = ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "F2504E00-4f89-41d3-9a0c-0305e82c3301"]
    for first in [SessionHarness.uuid(7)] + others {
      let answer = try verify(harness, ([first] + (3..<13).map(SessionHarness.uuid)).joined(separator: ending) + ending)
      let stored: Int64 = others.contains(first) ? 7 : 8
      #expect(answer["asked"] == .integer(11) && answer["stored"] == .integer(stored), "\(first)")
    }
  }

  @Test(arguments: [
    "nonsense", "0nonsense", "fnonsense", "3f2504e0-4f89-41d3-9a0c-0305e82c3301\nnonsense",
  ])
  func aLineThatIsNoUUIDIsNamedWithWhatWouldBeGood(body: String) throws {
    let answer = try SessionHarness().request("POST", "/admin/v1/verify", body: body)
    #expect(answer.status == 400)
    #expect(try answer.errorCode == "bad_record")
    #expect(answer.text.contains("line \(body.split(separator: "\n").count): '"))
    #expect(answer.text.contains("one on each line"))
  }

  @Test(arguments: [
    (#"{"devise":"car","uuids":[]}"#, "devise"), (#"{"device":"car","exacty":3}"#, "did you mean exactly?"),
    (#"{"device":"car","records":[{"uuid":"\#(SessionHarness.uuid(1))","time":7}]}"#, "time"),
    (#"{"device":"car","uuid":"\#(SessionHarness.uuid(1))","timestmp":7}"#, "did you mean timestamp?"),
    (#"{"device":"car","uuids":[],"records":[]}"#, "uuids"), (#"{"uuids":{}}"#, "uuids must be a list"),
    (#"{"device":"car"}"#, "does not say what is expected"),
  ])
  func aKeyThatIsNotKnownIsNamed(body: String, words: String) throws {
    let answer = try SessionHarness().request("POST", "/admin/v1/verify", body: body)
    #expect(answer.status == 400 && answer.text.contains(words), "\(answer.text)")
  }

  @Test func aDeviceOrARunBoundsTheSearch() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<10, of: "car")
    try harness.upload(10..<20, of: "bus")
    try harness.upload(0..<5, of: "car", run: "one")
    #expect(try verify(harness, "{\"device\":\"car\",\"uuids\":\(list(5..<15))}")["stored"] == .integer(5))
    #expect(try verify(harness, list(0..<10), "?run=one")["stored"] == .integer(5))
    let both = """
      {"device":"car","uuids":\(list([1, 11]))}
      {"device":"bus","uuids":\(list([1, 11]))}
      """
    let answer = try verify(harness, both)
    #expect(missing(answer) == [.string(SessionHarness.uuid(11)), .string(SessionHarness.uuid(1))])
  }

  @Test func whereTheMissingAreInsteadIsTold() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<3, of: "car")
    try harness.upload(3..<5, of: "bus")
    try harness.upload(5..<6, of: "car", run: "r2")
    let answer = try verify(harness, "{\"device\":\"car\",\"uuids\":\(list(0..<7))}")
    guard case .array(let reasons)? = answer["reasons"] else { throw NoAnswer(request: "reasons") }
    #expect(
      reasons.map { $0["message"] } == [.string("2 records under device bus"), .string("1 record of car in run r2")])
    #expect(answer["missing"] == .integer(4))
    #expect(try verify(harness, list(0..<5))["reasons"] == nil)
  }

  @Test func timeBoundsTheSearch() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<60, of: "car")
    try harness.upload(1_440..<1_441, of: "car")
    let query = "?from=2026-07-28T00:10:00Z&to=2026-07-28T00:20:00Z"
    let answer = try verify(harness, list([9, 10, 19, 20, 1_440]), query)
    #expect(missing(answer) == [9, 20, 1_440].map { .string(SessionHarness.uuid($0)) })
  }

  @Test func recordsWithAndWithoutTimeMix() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<3, of: "car")
    let body = """
      {"device":"car","uuid":"\(SessionHarness.uuid(1))","timestamp":"2026-07-28T00:01:00Z"}
      {"device":"car","uuid":"\(SessionHarness.uuid(1))","timestamp":"2026-07-28T00:02:00Z"}
      "\(SessionHarness.uuid(2))"
      "\(SessionHarness.uuid(3))"
      """
    let answer = try verify(harness, body)
    #expect(answer["asked"] == .integer(4) && answer["stored"] == .integer(2))
    #expect(missing(answer) == [.string(SessionHarness.uuid(1)), .string(SessionHarness.uuid(3))])
  }

  @Test(arguments: [#"["x"]"#, #"{"uuids":[7]}"#, #"{"device":7,"uuids":["\#(SessionHarness.uuid(1))"]}"#])
  func anInvalidUUIDIsRefused(body: String) throws {
    let answer = try SessionHarness().request("POST", "/admin/v1/verify", body: body)
    #expect(answer.status == 400)
    #expect(try answer.errorCode == "bad_record")
  }

  @Test(arguments: [1, 7, 100, 1_000])
  func pagesOfUUIDsTogetherAreTheWhole(limit: Int) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<150, of: "car")
    try harness.upload(1_440..<1_500, of: "car")
    try harness.upload(0..<40, of: "bus")
    for query in ["", "&device=car"] {
      let whole = try harness.request("GET", "/admin/v1/uuids?run=\(query)").text
      var pages = ""
      var target: String? = "/admin/v1/uuids?run=\(query)&limit=\(limit)"
      while let next = target {
        let answer = try harness.request("GET", next)
        #expect(answer.text.split(separator: "\n").count <= limit)
        pages += answer.text
        target = answer.field("Link").map { "/admin/v1/uuids" + $0.dropFirst().prefix { $0 != ">" } }
      }
      #expect(pages == whole)
      #expect(whole.split(separator: "\n").count == (query.isEmpty ? 250 : 210))
    }
  }
}
