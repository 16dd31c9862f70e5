import Base
import JSON
import ServerSupport
import Store
import Support
import Testing

@testable import IngestServer

/// "There was none" of requests is not said where the journal does not have all that could be one.
@Suite struct RequestGapTests {
  private func verify(_ server: IngestServer, _ expectation: String) throws -> TestAnswer {
    try post(server, "/admin/v1/verify", #"{"of":"requests",\#(expectation)}"#)
  }

  /// A record of so many bytes.
  private func upload(_ number: Int, bytes: Int) -> String {
    let record = Uploads.record(number)
    let padding = #","extras":{"order":7,"padding":"\#(String(repeating: "x", count: bytes))"}}"#
    return record.dropLast() + padding
  }

  @Test func ofAShareOfTheRequestsNoneIsNotKnown() throws {
    var configuration = ServerConfiguration.loopback(loops: 2)
    configuration.journalShare = 0.25
    let server = try IngestServer(configuration)
    defer { server.stop() }
    for number in 0..<8 { #expect(try post(server, "/locations/a", Uploads.record(number)).status == 200) }
    let none = try verify(server, #""status":"5xx","exactly":0"#)
    #expect(none.status == 409)
    #expect(try none.errorCode == "journal_incomplete")
    #expect(
      none.text.contains(
        "0 requests fit, expected exactly 0; whether there were more is not known; the journal takes 25 % of the requests only"
      ), "\(none.text)")
    // At least one is there, whatever else is.
    #expect(try verify(server, #""status":200,"atLeast":1"#).status == 200)
    // A wait does not wait for what it will not know.
    let waited = try post(server, "/admin/v1/await", #"{"of":"requests","status":"5xx","exactly":0,"holds":"1h"}"#)
    #expect(waited.status == 409)
  }

  @Test func aContentBehindWhatIsKeptIsNotKnown() throws {
    try withServer { server in
      #expect(try post(server, "/locations/a", upload(1, bytes: 20_000)).status == 200)
      #expect(try post(server, "/locations/b", upload(2, bytes: 10)).status == 200)
      let order = #""where":[{"path":"$.body.extras.order","equals":7}]"#
      let none = try verify(server, #""device":"a",\#(order),"exactly":0"#)
      #expect(none.status == 409)
      #expect(
        none.text.contains(
          "(POST /locations/a of a): $.body.extras.order is not known: the journal keeps the first 16 KiB"),
        "\(none.text)")
      let one = try verify(server, #""device":"a",\#(order)"#)
      #expect(one.status == 409)
      #expect(one.text.contains("$.body.extras.order is not known"), "\(one.text)")
      // What is kept, or does not matter, is.
      #expect(try verify(server, #""device":"b",\#(order),"exactly":1"#).status == 200)
      #expect(try verify(server, #""device":"a","status":500,\#(order),"exactly":0"#).status == 200)
      let part = #""device":"a","where":[{"path":"$.body","contains":"\#(Uploads.uuid(1))"}],"exactly":1"#
      #expect(try verify(server, part).status == 200)
    }
  }

  @Test func aSecretBodyIsNotKnown() throws {
    try withServer { server in
      let body = #"{"org":"o","uuid":"a","model":"m","framework":"f","platform":"p","manufacturer":"x","version":"1"}"#
      #expect(try post(server, "/api/register", body).status == 200)
      let none = try verify(server, #""where":[{"path":"$.body.org","equals":"o"}],"exactly":0"#)
      #expect(none.status == 409)
      #expect(none.text.contains("$.body.org is not known: the journal does not keep it, because it is secret"))
    }
  }

  @Test func aRunWhoseOldestRequestsAreGoneIsNotKnown() throws {
    var limits = JournalLimits()
    limits.rows = 10
    let journal = try Journal(folder: ":memory:", limits: limits)
    for number in 0..<25 {
      var batch = JournalBatch(limits: limits)
      let entry = JournalEntry(receivedAt: Int64(number), method: "POST", path: "/locations", status: 200)
      let hasRoom = batch.append(entry)
      #expect(hasRoom)
      try journal.append(batch)
    }
    let fields = try AdminFields(
      try value(#"{"of":"requests","status":500,"exactly":0}"#), knows: ContentExpectation.keys)
    let expectation = try ContentExpectation(fields, run: "")
    for (from, reasons) in [(Int64.min, 1), (14, 1), (15, 0)] {
      var scan = ExpectationScan(expectation, TallyBounds(from: from), onlyNew: false)
      try scan.scanRequests(journal, RecordedRoutes(isOfProxy: false))
      #expect(scan.isScanned && scan.tally.found == 0)
      #expect(scan.gaps.reasons.count == reasons, "from \(from)")
      #expect(
        scan.gaps.reasons.allSatisfy { $0.message.contains("the oldest requests of the run are not in the journal") })
    }
  }

  private func value(_ text: String) throws -> JSONValue {
    var reader = JSONReader(text.utf8.span)
    return try JSONValue(from: &reader)
  }
}
