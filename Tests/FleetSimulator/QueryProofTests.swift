import Base
import CurlTransport
import Oracle
import Store
import Support
import Synchronization
import Testing

@testable import FleetSimulator

/// A server that needs its time is read to the end, and one that has nothing new to tell is not waited for.
@Suite(.timeLimit(.minutes(10))) struct QueryProofTests {
  /// What its clock shows, in milliseconds.
  private final class SlowList: Sendable {
    private let milliseconds = Mutex<Int64>(0)
    private let pages: Int
    private let perPage: Int64
    private let repeats: Bool
    /// Called with the number of each page that is asked for.
    private let onPage: @Sendable (Int) -> Void

    init(pages: Int, perPage: Int64, repeats: Bool = false, onPage: @escaping @Sendable (Int) -> Void = { _ in }) {
      (self.pages, self.perPage, self.repeats, self.onPage) = (pages, perPage, repeats, onPage)
    }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds.withLock { $0 } * 1_000_000) }

    func answer(_ request: BareServer.Request) -> BareServer.Answer {
      milliseconds.withLock { $0 += perPage }
      let number = request.lines[0].split(separator: "=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
      onPage(number)
      let digits = String(repeats ? 0 : number)
      let zeros = String(repeating: "0", count: 12 - digits.count)
      let body = "[\"00000000-0000-4000-8000-\(zeros)\(digits)\"]"
      let link = number + 1 < pages ? "Link: </list?page=\(number + 1)>; rel=\"next\"\r\n" : ""
      return .text("HTTP/1.1 200 OK\r\n\(link)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
  }

  /// How many records were found, and why not all.
  private func read(_ list: SlowList, _ interruption: Interruption? = nil) throws -> (found: Int, refusal: String?) {
    let server = try BareServer { list.answer($0) }
    let client = try BlockingHTTPClient(
      TransportConfiguration(), keepsHeads: true, interruption: interruption
    ) { list.now }
    let question = QuerySource.Question(url: server.url + "list?page=0", path: "$[*]")
    let proof = ListedProof(
      QuerySource(client, question, headers: [], seed: 1, deviceCount: 1), devices: ["cars-0"])
    var found = 0
    proof.forEachRecord(of: "cars-0") { _, _ in found += 1 }
    return (found, proof.refusal)
  }

  /// A record that is not on the page that was read may be on the next one, which the answer names in a way that nothing was said
  /// about: that is no loss. A list that has everything is read, whatever stands beside it.
  @Test(arguments: [
    (#""next":"100""#, true), (#""nextPageToken":"abc""#, true), (#""has_more":true"#, true), (#""cursor":17"#, true),
    (#""next":null"#, false), (#""next":"""#, false), (#""has_more":false"#, false), (#""total":100"#, false),
    (#""limit":1,"total":100"#, true), (#""limit":1,"total":1"#, false),
  ])
  func whatAnUnreadPageMayHoldIsNotLost(beside: String, isUnread: Bool) throws {
    let body = "{\"points\":[\"00000000-0000-4000-8000-000000000001\"],\(beside)}"
    let server = try BareServer { _ in .ok(body) }
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true)
    let question = QuerySource.Question(url: server.url + "list", path: "$.points[*]")
    let proof = ListedProof(
      QuerySource(client, question, headers: [], seed: 1, deviceCount: 1), devices: ["cars-0"])
    let (listed, absent) = try (key("000000000001"), key("000000000002"))
    #expect(proof.missing([listed], of: "cars-0") == [] && proof.refusal == nil)
    let missing = proof.missing([listed, absent], of: "cars-0")
    if isUnread {
      #expect(missing == nil && proof.refusal?.contains("target.verify.next") == true, "\(proof.refusal ?? "")")
    } else {
      #expect(missing == [absent] && proof.refusal == nil, "\(proof.refusal ?? "")")
    }
  }

  /// As many entries as servers list at most, and nothing that shows an end; the list of another device may be longer, and
  /// another one may have lost records all the same.
  @Test(arguments: [(100, 40, true), (99, 40, false), (101, 40, false), (100, 101, false)])
  func aListMayBeCut(count: Int, other: Int, isCut: Bool) throws {
    let server = try BareServer { request in
      let isFirst = request.lines[0].contains("device=cars-0")
      let numbers = (0..<(isFirst ? count : other)).map { 100_000_000_000 + $0 + (isFirst ? 0 : 1_000) }
      return .ok("[\(numbers.map { "\"00000000-0000-4000-8000-\($0)\"" }.joined(separator: ","))]")
    }
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true)
    let question = QuerySource.Question(url: server.url + "list?device={device}", path: "$[*]")
    let proof = ListedProof(
      QuerySource(client, question, headers: [], seed: 1, deviceCount: 2), devices: ["cars-0", "cars-1"])
    let absent = try key("000000000002")
    #expect(proof.missing([try key("100000000000")], of: "cars-0") == [] && proof.refusal == nil)
    #expect(proof.missing([absent], of: "cars-0") == (isCut ? nil : [absent]))
    #expect(proof.missing([absent], of: "cars-1") == [absent])
    #expect((proof.refusal?.contains("'cars-0' ends at 100 entries, a usual limit") ?? false) == isCut)
  }

  private func key(_ digits: String) throws -> PointKey {
    let uuid = UUID128(text: "00000000-0000-4000-8000-\(digits)".utf8.span)
    return PointKey(recordedAt: 0, uuid: try #require(uuid))
  }

  @Test func pagesThatComeSteadilyAreReadToTheLast() throws {
    let (found, refusal) = try read(SlowList(pages: 200, perPage: 400))
    #expect(found == 200 && refusal == nil, "\(refusal ?? "")")
  }

  @Test func pagesThatComeTooSlowlyAreNot() throws {
    let (found, refusal) = try read(SlowList(pages: 1_000, perPage: 700))
    #expect(found == 0 && refusal?.contains("exceeded their time limit") == true, "\(refusal ?? "")")
  }

  @Test func aListThatTellsNothingNewIsLeftEarly() throws {
    let asked = Mutex(0)
    let (found, refusal) = try read(
      SlowList(pages: .max, perPage: 0, repeats: true) { number in asked.withLock { $0 = number } })
    #expect(found == 0 && refusal?.contains("the last 20 pages contain nothing") == true, "\(refusal ?? "")")
    #expect(asked.withLock { $0 } == 20)
  }

  /// Twenty pages of one record each, which may well be one that the store has so often.
  @Test func aRecordThatIsThereOftenIsReadToTheEnd() throws {
    let (found, refusal) = try read(SlowList(pages: 20, perPage: 0, repeats: true))
    #expect(found == 20 && refusal == nil, "\(refusal ?? "")")
  }

  @Test func aSignalEndsTheReading() throws {
    let interruption = Interruption()
    let (found, refusal) = try read(
      SlowList(pages: .max, perPage: 0) { number in if number == 5 { interruption.request() } }, interruption)
    #expect(found == 0 && refusal?.hasSuffix("the queries were ended by a signal") == true, "\(refusal ?? "")")
  }

  /// It has ended the drives, and the verdict on what they have come to needs the questions.
  @Test func aSignalBeforeTheReadingLeavesIt() throws {
    let interruption = Interruption()
    interruption.request()
    let (found, refusal) = try read(SlowList(pages: 5, perPage: 0), interruption)
    #expect(found == 5 && refusal == nil, "\(refusal ?? "")")
  }

  @Test func aSignalEndsTheWaitForAnAnswer() throws {
    let interruption = Interruption()
    let server = try BareServer { _ in
      interruption.request()
      return .silence
    }
    let client = try BlockingHTTPClient(TransportConfiguration(), interruption: interruption)
    let outcome = client.ask(server.url + "list")
    #expect("\(outcome)".contains("the queries were ended by a signal"), "\(outcome)")
  }

  @Test func aCursorWithoutAPlaceInTheURLIsSaid() throws {
    let server = try BareServer { _ in
      .ok(#"{"rows":["00000000-0000-4000-8000-000000000001"],"next":"b2"}"#)
    }
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true)
    var question = QuerySource.Question(url: server.url + "list?device={device}", path: "$.rows[*]")
    question.next = "$.next"
    let proof = ListedProof(
      QuerySource(client, question, headers: [], seed: 1, deviceCount: 1), devices: ["cars-0"])
    proof.forEachRecord(of: "cars-0") { _, _ in }
    #expect(proof.refusal?.hasSuffix("at the cursor 'b2', and the URL has no {cursor} for it") == true)
  }
}
