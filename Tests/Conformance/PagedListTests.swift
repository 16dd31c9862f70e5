import AnswerCheck
import Base
import CurlTransport
import Scenario
import Support
import Synchronization
import Testing
import Upload

@testable import BackendStore
@testable import Conformance

/// A list over HTTP, page by page.
@Suite struct PagedListTests {
  private func store(
    _ url: String, records: String = "$.points[*]",
    client: ConformanceClient = ConformanceClient(transport: TransportConfiguration())
  ) -> QueriedStore {
    QueriedStore(
      url, headers: [], records: records, next: JSONStep.steps(of: "$.next"), fields: [], client: client)
  }

  /// Nothing is read from where a redirect leads.
  @Test func aRedirectOfAListIsNamed() throws {
    let server = try BareServer { _ in
      .text("HTTP/1.1 307 Moved\r\nLocation: /points/?device=d\r\nContent-Length: 0\r\n\r\n")
    }
    var transport = TransportConfiguration()
    transport.keepsHeads = true
    let store = store(server.url + "points?device={device}", client: ConformanceClient(transport: transport))
    let problem = #expect(throws: StoreViewError.self) { try store.records(of: "d") }
    let words = "status 307, which leads to '/points/?device=d': name that URL in verify.url"
    #expect(problem?.text.hasSuffix(words) ?? false, "\(problem?.text ?? "")")
  }

  private static let map =
    #"{"-N1":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"},"-N2":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3302"}}"#

  /// As Firebase has them.
  @Test(arguments: [
    ("$.points[*]", #"{"points":MAP}"#, 2), ("$[*]", "MAP", 2), ("$.points[*].uuid", #"{"points":MAP}"#, 2),
    ("$.days[*][*]", #"{"days":{"1":MAP}}"#, 2), ("$.days[*][*]", #"{"days":{"1":[ONE]}}"#, 1),
    ("$.points[*]", #"{"points":{}}"#, 0), ("$.points[*]", #"{"points":null}"#, 0), ("$[*]", "null", 0),
    // Single lines of NDJSON.
    ("$[*]", #"{"location":ONE}"#, 1), ("$[*]", "ONE", 1),
    // The key is the uuid, unless the record has its own.
    ("$.points[*]", #"{"points":{"3F2504E0-4F89-41D3-9A0C-0305E82C3301":{"coords":{}}}}"#, 1),
    ("$[*]", #"{"3F2504E0-4F89-41D3-9A0C-0305E82C3301":{"coords":{}}}"#, 1),
    ("$[*]", #"{"3F2504E0-4F89-41D3-9A0C-0305E82C33FF":{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"}}"#, 1),
  ])
  func entriesMayBeUnderKeys(records: String, body: String, count: Int) throws {
    let body = body.replacing("MAP", with: Self.map).replacing(
      "ONE", with: #"{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","coords":{}}"#)
    let server = try BareServer { _ in .ok(body) }
    let listed = try store(server.url + "list?device={device}", records: records).records(of: "d")
    #expect(
      listed.count == count
        && listed.allSatisfy { $0.uuid?.upperCaseText.hasSuffix("0305E82C3301") ?? false || count > 1 })
    #expect(listed.allSatisfy { $0.uuid != nil })
  }

  @Test(arguments: [
    ("$.points", #"{"points":MAP}"#, "\"$.points[*]\" leads to each"),
    ("$.data", #"{"data":{"points":MAP}}"#, "\"$.points[*]\", it seems"),
  ])
  func wherePlacesOfEntriesUnderKeysLackTheKeysThePathIsNamed(records: String, body: String, remedy: String) throws {
    let server = try BareServer { _ in .ok(body.replacing("MAP", with: Self.map)) }
    let problem = #expect(throws: StoreViewError.self) {
      try store(server.url + "list?device={device}", records: records).records(of: "d")
    }
    #expect(problem?.text.contains(remedy) ?? false, "\(problem?.text ?? "")")
  }

  /// A list that limits the rate is asked again when it says, as long as there is time (RFC 9110 §10.2.3).
  @Test func aLimitOfTheRateIsWaitedFor() throws {
    var transport = TransportConfiguration()
    transport.keepsHeads = true
    let client = ConformanceClient(transport: transport)
    let waits = Mutex(["0", "0", "", "60"])
    let server = try BareServer { _ in
      let wait = waits.withLock { $0.removeFirst() }
      if wait.isEmpty { return .ok(Self.page.replacing("#", with: "1").replacing("NEXT", with: "null")) }
      return .text("HTTP/1.1 429 No\r\nRetry-After: \(wait)\r\nContent-Length: 0\r\n\r\n")
    }
    let store = store(server.url + "list", client: client)
    #expect(client.limit.words == nil)
    #expect(try store.records(of: "d").count == 1 && client.limit.words == "status 429, Retry-After: 0")
    client.end.set(SystemClock().monotonicNow + .seconds(30))
    let problem = #expect(throws: StoreViewError.self) { try store.records(of: "d") }
    #expect(
      problem?.text.contains("the list limits the rate (status 429, Retry-After: 60), and before") ?? false,
      "\(problem?.text ?? "")")
    // Until then it is not asked.
    #expect(throws: StoreViewError.self) { try store.records(of: "e") }
    #expect(paths(server).count == 4)
  }

  /// No page is asked for when the time of the run is over.
  @Test func aListEndsWithTheRun() throws {
    let client = ConformanceClient(transport: TransportConfiguration())
    let server = try BareServer { _ in
      client.end.set(SystemClock().monotonicNow)
      return .ok(Self.page.replacing("#", with: "1").replacing("NEXT", with: "\"200\""))
    }
    let store = store(server.url + "list?after={cursor}", client: client)
    let problem = #expect(throws: StoreViewError.self) { try store.records(of: "d") }
    #expect(problem?.text.hasSuffix("the time of the run was over (--time-limit)") ?? false, "\(problem?.text ?? "")")
    #expect(paths(server) == ["/list"])
  }

  /// A list of changes gives a cursor with each page, and with an empty one its own.
  @Test(arguments: [false, true]) func anEmptyPageThatNamesItselfIsTheLast(isLoop: Bool) throws {
    let server = try BareServer { request in
      let page = Self.page.replacing("#", with: "1").replacing("NEXT", with: "200")
      return .ok(request.lines[0].contains("200") && !isLoop ? #"{"points":[],"next":200}"# : page)
    }
    let store = store(server.url + "list?after={cursor}")
    if isLoop {
      let problem = #expect(throws: StoreViewError.self) { try store.records(of: "d") }
      #expect(problem?.text.hasSuffix("its pages form a loop") ?? false, "\(problem?.text ?? "")")
    } else {
      #expect(try store.records(of: "d").count == 1)
    }
    #expect(paths(server) == ["/list", "/list?after=200"])
  }

  private func paths(_ server: BareServer) -> [String] {
    server.requests.map { String($0.lines[0].dropFirst(4).prefix { $0 != " " }) }
  }

  private static let page = #"{"points":[{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C330#"}],"next":NEXT}"#

  private func pages(_ next: String) throws -> BareServer {
    try BareServer { request in
      let isLast = request.lines[0].contains("200")
      return .ok(
        Self.page.replacing("#", with: isLast ? "2" : "1").replacing("NEXT", with: isLast ? "null" : next))
    }
  }

  @Test(arguments: [
    ("list?device={device}&after={cursor}", "\"200\"", ["/list?device=d", "/list?device=d&after=200"]),
    ("list?after={cursor}&device={device}", "200", ["/list?device=d", "/list?after=200&device=d"]),
    ("list?after={cursor}", "200", ["/list", "/list?after=200"]),
    ("list/{device}/{cursor}", "200", ["/list/d/", "/list/d/200"]),
    ("list?q=from:{cursor}", "200", ["/list?q=from:", "/list?q=from:200"]),
  ])
  func theFirstPageHasNoEmptyCursor(url: String, next: String, expected: [String]) throws {
    let server = try pages(next)
    #expect(try store(server.url + url).records(of: "d").count == 2)
    #expect(paths(server) == expected)
  }

  /// As NDJSON without a line: the device has no list yet, or the path is wrong.
  @Test func anAnswerWithoutABodyIsNoList() throws {
    let answers = Mutex(["", Self.page.replacing("#", with: "1").replacing("NEXT", with: "null"), ""])
    let server = try BareServer { _ in .ok(answers.withLock { $0.removeFirst() }) }
    let store = store(server.url + "list?device={device}")
    let problem = try #require(throws: StoreViewError.self) { try store.records(of: "d") }
    #expect(problem.isAbsence && problem.text.contains("it is empty"), "\(problem)")
    #expect(try store.records(of: "d").count == 1)
    // Others have lists.
    #expect(try store.records(of: "e").isEmpty)
  }

  /// RFC 3986 §4.2.
  @Test(arguments: [
    ("?device=d&after=200", "/list?device=d&after=200"), ("/other?after=200", "/other?after=200"),
    ("//127.0.0.1:PORT/list?after=200", "/list?after=200"), ("http://127.0.0.1:PORT/x?after=200", "/x?after=200"),
  ])
  func aNextPageMayBeARelativeURL(next: String, path: String) throws {
    let server = try BareServer { request in
      let isLast = request.lines[0].contains("200")
      let port = request.values(of: "host").first?.split(separator: ":").last ?? ""
      let place = isLast ? "null" : "\"\(next.replacing("PORT", with: String(port)))\""
      return .ok(Self.page.replacing("#", with: isLast ? "2" : "1").replacing("NEXT", with: place))
    }
    #expect(try store(server.url + "list?device={device}&page={cursor}").records(of: "d").count == 2)
    #expect(paths(server) == ["/list?device=d", path])
  }

  @Test func aListThatCannotBeReadSaysWhatWasAskedAndAnswered() throws {
    let body = #"{"detail":"no such cursor"}"#
    let server = try BareServer { _ in
      .text("HTTP/1.1 422 No\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    for (url, shown, note) in [
      ("list?device={device}&after={cursor}", "list?device=d", " (the first page, without 'after={cursor}')"),
      ("list/{cursor}", "list/", " (the first page, with nothing in the place of {cursor})"), ("list", "list", ""),
    ] {
      let problem = #expect(throws: StoreViewError.self) { try store(server.url + url).records(of: "d") }
      #expect(problem?.text == "'\(server.url)\(shown)'\(note): status 422 with '\(body)'", "\(problem?.text ?? "")")
    }
  }

  /// What common frameworks say of a page that others follow.
  @Test(
    arguments: [
      (#""next_page_url":"/p?page=2""#, "next_page_url"), (#""current_page":1,"last_page":6"#, "last_page"),
      (#""meta":{"current_page":1,"last_page":6}"#, "meta.last_page"),
      (#""totalPages":6,"number":0,"last":false"#, "last"),
      (#""@odata.nextLink":"/p?$skip=1""#, "@odata.nextLink"), (#""nextToken":"abc""#, "nextToken"),
      (#""truncated":true"#, "truncated"), (#""limit":1,"offset":0,"total":58"#, "total"),
      (#""page":1,"pages":6"#, "pages"), (#""has_more":true"#, "has_more"),
      // The last page, and totals that are not those of the list.
      (#""next_page_url":null,"current_page":6,"last_page":6"#, nil), (#""last":true"#, nil),
      (#""nextToken":null"#, nil),
      (#""truncated":false"#, nil), (#""limit":1,"total":1"#, nil), (#""total":58"#, nil),
      (#""limit":100,"total":58"#, nil),
      (#""has_more":false,"cursor":"abc""#, nil),
    ] as [(String, String?)])
  func aPageThatOthersFollowIsKnown(members: String, sign: String?) throws {
    let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
    let body = #"{"points":[{"uuid":"\#(uuid)"}],\#(members)}"#
    #expect(try unread(body, head: "") == sign)
  }

  @Test(
    arguments: [
      ("Content-Range: items 0-0/58", "Content-Range"), ("X-Total-Count: 58", "X-Total-Count"),
      ("X-Total-Count: 1", nil),
      ("Content-Range: items 0-0/1", nil), ("Content-Range: items 0-0/*", nil), ("Content-Range: /", nil),
      ("Content-Range: items 0-9223372036854775807/9223372036854775807", nil),
    ] as [(String, String?)])
  func aHeadThatTellsOfMoreIsKnown(field: String, sign: String?) throws {
    #expect(try unread(#"{"points":[{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"}]}"#, head: field + "\r\n") == sign)
  }

  /// An API with numbered pages names none: they are counted up to an empty one, or to one that does not exist.
  @Test(
    arguments: [
      ("p={page}", ["p=1", "p=2", "p=3"]), ("p={page:0}", ["p=0", "p=1", "p=2"]),
      ("skip={offset}&n=2", ["skip=0&n=2", "skip=2&n=2", "skip=3&n=2"]),
    ] as [(String, [String])], [true, false])
  func numberedPagesAreCounted(pages: (query: String, asked: [String]), endIsMissing: Bool) throws {
    let bodies = [#"[{"uuid":"a"},{"uuid":"b"}]"#, #"[{"uuid":"c"}]"#, "[]"]
    var (asked, listed) = ([String](), 0)
    let end = try PagedList("http://a/list?\(pages.query)", next: nil).read(
      "d",
      { page in
        asked.append(String(page.split(separator: "?")[1]))
        let isMissing = endIsMissing && asked.count == 3
        let body = Array(bodies[asked.count - 1].utf8)
        return (.answered(status: isMissing ? 404 : 200, reason: "", body: body), AnswerHead([]))
      },
      { (page) throws(StoreViewError) in
        try ListedRecords("$[*]", fields: []).read(page) { _ in listed += 1 }
      })
    #expect(asked == pages.asked && listed == 3 && end.unread == nil)
  }

  /// A server that does not count so lists the same entries again, which are no repetitions.
  @Test func pagesThatAreNotCountedAreNoList() {
    let error = #expect(throws: StoreViewError.self) {
      try PagedList("http://a/list?p={page}", next: nil).read(
        "d", { _ in (.answered(status: 200, reason: "", body: Array(#"[{"uuid":"a"}]"#.utf8)), AnswerHead([])) },
        { (page) throws(StoreViewError) in try ListedRecords("$[*]", fields: []).read(page) { _ in } })
    }
    #expect(error?.text.contains("the server does not count pages so") == true, "\(error?.text ?? "")")
  }

  /// Each line of NDJSON is an element of a list.
  @Test func aPathInTheEntriesOfAListSaysWhichOneLeadsThere() throws {
    let page = try #require(StoredValue(Array(#"[{"seq":1,"record":{"uuid":"a"}}]"#.utf8)))
    let error = #expect(throws: StoreViewError.self) {
      try ListedRecords("$.record", fields: []).read(page) { _ in }
    }
    #expect(error?.text == #"$.record matches nothing ("$[*].record" leads to the records) in the answer"#)
    let other = #expect(throws: StoreViewError.self) { try ListedRecords("$.rows", fields: []).read(page) { _ in } }
    #expect(other?.text == "$.rows matches nothing in the answer")
  }

  /// Returns the sign of further pages in an answer.
  private func unread(_ body: String, head: String) throws -> String? {
    let answer = AnswerHead(parsing: Array("HTTP/1.1 200 OK\r\n\(head)\r\n".utf8))
    let records = ListedRecords("$.points[*]", fields: [])
    let list = PagedList("http://a/list", next: nil)
    let end = try list.read("d", { _ in (.answered(status: 200, reason: "", body: Array(body.utf8)), answer) }) {
      (page) throws(StoreViewError) in try records.read(page) { _ in }
    }
    return end.unread.flatMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
  }
}
