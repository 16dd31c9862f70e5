import HTTP1
import Support
import Testing

private func accepted(_ text: String, at place: SourceLocation = #_sourceLocation) throws -> HTTP1Transcript.Message {
  let transcript = EveryWay.requests(text, at: place)
  #expect(transcript.error == nil, sourceLocation: place)
  #expect(transcript.messages.count == 1, sourceLocation: place)
  return try #require(transcript.messages.first, sourceLocation: place)
}

@Test func aRequestIsTakenApartIntoItsParts() throws {
  let text =
    "POST /locations/new?token=abc HTTP/1.1\r\nHost: example.com:8080\r\nX-Device-Id:  d 1 \t\r\nEmpty:\r\n"
    + "X-Device-Id: second\r\nContent-Length: 5\r\n\r\nhello"
  let message = try accepted(text)
  #expect(message.line == "POST /locations/new?token=abc HTTP/1.1")
  #expect(message.path == ["locations", "new"])
  #expect(message.query == Array("token=abc".utf8))
  #expect(message.authority == Array("example.com:8080".utf8))
  #expect(message.fields.count == 5)
  #expect(message.value("X-Device-Id") == "d 1")
  #expect(message.value("Empty") == "")
  #expect(message.framing == .length(5))
  #expect(message.keepAlive)
  #expect(!message.expectsContinue)
  #expect(message.content == "hello")
  #expect(message.end == text.utf8.count)
}

@Test func aFieldValueMayHoldTabsAndBytesAboveASCII() throws {
  let message = try accepted("GET / HTTP/1.1\r\nHost: h\r\nX: a\tb \u{E9}\r\n\r\n")
  #expect(message.value("X") == "a\tb \u{E9}")
}

@Test func emptyLinesBeforeARequestArePassedOver() throws {
  #expect(try accepted("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").line == "GET / HTTP/1.1")
}

@Test func unknownMethodsAreLeftToTheServer() throws {
  for method in ["get", "PURGE", "M-SEARCH", "!#$%&'*+-.^_`|~"] {
    #expect(try accepted("\(method) / HTTP/1.1\r\nHost: h\r\n\r\n").line == "\(method) / HTTP/1.1")
  }
}

@Test func everyKnownMethodIsRecognised() throws {
  for method in HTTPMethod.allCases where method != .other && method != .connect {
    var head = RequestHead()
    var parser = RequestParser()
    let text = Array("\(method.name) / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    #expect(try parser.next(text.span, into: &head).event == .head)
    #expect(head.method == method)
  }
}

@Test(arguments: [
  ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
  ("HTTP/1.1", "Connection: Keep-Alive\r\n", true),
  ("HTTP/1.1", "Connection: foo, CLOSE\r\n", false), ("HTTP/1.1", "Connection: foo\r\nConnection: close\r\n", false),
  ("HTTP/1.1", "Connection: closed, x-close\r\n", true), ("HTTP/1.1", "Connection: ,foo,,\r\n", true),
  ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive\r\n", true),
  ("HTTP/1.0", "Connection: keep-alive, close\r\n", false), ("HTTP/1.0", "Connection: keep\r\n", false),
  ("HTTP/1.7", "", true),
])
func connectionsPersistByVersionAndOption(version: String, field: String, persists: Bool) throws {
  #expect(try accepted("GET / \(version)\r\nHost: h\r\n\(field)\r\n").keepAlive == persists)
}

@Test(arguments: [
  ("HTTP/1.1", "Content-Length: 1\r\nExpect: 100-continue\r\n\r\nx", true),
  ("HTTP/1.1", "Transfer-Encoding: chunked\r\nExpect: 100-Continue\r\n\r\n0\r\n\r\n", true),
  ("HTTP/1.1", "Content-Length: 1\r\nExpect: 100-continue, 100-continue\r\n\r\nx", true),
  ("HTTP/1.1", "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n", false),
  ("HTTP/1.1", "Expect: 100-continue\r\n\r\n", false),
  ("HTTP/1.0", "Content-Length: 1\r\nExpect: 100-continue\r\n\r\nx", false),
])
func aClientWaitsOnlyWhenABodyIsToCome(version: String, rest: String, waits: Bool) throws {
  #expect(try accepted("POST / \(version)\r\nHost: h\r\n\(rest)").expectsContinue == waits)
}

@Test func pipelinedRequestsComeOneAfterTheOther() {
  let transcript = EveryWay.requests(
    "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
      + "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\n\r\nGET /4 HTTP/1.1\r\nHost: h\r\n\r\n"
  )
  #expect(transcript.error == nil)
  #expect(transcript.messages.map(\.path) == [["1"], ["2"], ["3"], ["4"]])
  #expect(transcript.messages.map(\.content) == ["ab", "", "c", ""])
}

@Test func nothingIsTakenBetweenTheEndAndTheNextRequest() throws {
  var parser = RequestParser()
  var head = RequestHead()
  let text = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET".utf8)
  #expect(parser.isIdle)
  #expect(try parser.next(text.span, into: &head) == MessageStep(taken: text.count - 3, event: .head))
  let rest = Array("GET".utf8)
  #expect(try parser.next(rest.span, into: &head) == MessageStep(taken: 0, event: .end))
  #expect(try parser.next(rest.span, into: &head) == MessageStep(taken: 0, event: .end))
  parser.beginNextRequest()
  #expect(parser.isIdle)
  #expect(try parser.next(rest.span, into: &head) == MessageStep(taken: 3, event: .needMoreInput))
  #expect(!parser.isIdle)
}

@Test func afterAnErrorTheParserStaysFailed() throws {
  var parser = RequestParser()
  var head = RequestHead()
  let wrong = Array("GET / HTTP/3.0\r\n".utf8)
  let right = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
  let error = #expect(throws: HTTPError.self) { try parser.next(wrong.span, into: &head) }
  #expect(error?.code == .versionNotSupported)
  #expect(error?.offset == 11)
  let again = #expect(throws: HTTPError.self) { try parser.next(right.span, into: &head) }
  #expect(again == error)
}

@Test func aHeadCanBeReadIntoAgainAndKeepsNothingOfTheOneBefore() throws {
  var head = RequestHead()
  for text in [
    "POST http://a/x%20y?q HTTP/1.0\r\nHost: b\r\nHost2: c\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
  ] {
    var parser = RequestParser()
    let bytes = Array(text.utf8)
    #expect(try parser.next(bytes.span, into: &head).event == .head)
  }
  #expect(head.method == .get)
  #expect(head.form == .origin)
  #expect(head.segments.isEmpty)
  #expect(head.query == nil)
  #expect(head.framing == .none)
  #expect(head.fields.list.count == 1)
  #expect(head.fields.value(.connection) == nil)
  #expect(head.fields.value(.contentLength) == nil)
  #expect(head.fields.text(try #require(head.authority)) == "h")
}

/// The heads of a loop go from connection to connection, also after one that was refused.
@Test func aRefusedHeadLeavesNothingBehind() throws {
  var head = RequestHead()
  for (text, code) in [
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", HTTPError.Code.repeatedHost),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .repeatedLength),
    ("GET /%2e%41/.. HTTP/1.1\r\nHost: a\r\n\r\n", .dotSegment),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n x\r\n\r\n", .foldedLine),
  ] {
    var refusing = RequestParser()
    let wrong = Array(text.utf8)
    let error = #expect(throws: HTTPError.self) { try refusing.next(wrong.span, into: &head) }
    #expect(error?.code == code)
    var parser = RequestParser()
    let right = Array("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n".utf8)
    #expect(try parser.next(right.span, into: &head) == MessageStep(taken: right.count, event: .head))
    #expect(head.framing == .length(1))
    #expect(head.segments.count == 1)
    #expect(head.segment(0, is: "a"))
  }
}

@Test func fieldsAreFoundWhateverTheirCase() throws {
  var head = RequestHead()
  var parser = RequestParser()
  let text = Array(
    "GET /a?x=%41+b&x=2 HTTP/1.1\r\nHOST: h\r\ncontent-TYPE: text/plain\r\nAuthorization: Bearer t\r\nX-Device-ID: d\r\n\r\n"
      .utf8)
  #expect(try parser.next(text.span, into: &head).event == .head)
  for (known, expected) in [(KnownField.host, "h"), (.contentType, "text/plain"), (.authorization, "Bearer t")] {
    #expect(head.fields.text(try #require(head.fields.value(known))) == expected)
  }
  #expect(head.fields.text(try #require(head.fields.value("x-device-id"))) == "d")
  for name: StaticString in ["X-Device-Id", "X-DEVICE-ID"] { #expect(head.fields.value(name) != nil, "\(name)") }
  for name: StaticString in ["x-device", "x-device-i\u{44}x", "x-device-iD ", "x\u{0D}device-id"] {
    #expect(head.fields.value(name) == nil, "\(name)")
  }
  #expect(head.segment(0, is: "a"))
  #expect(!head.segment(1, is: "a"))
  let items = try head.queryItems(limits: HTTPLimits())
  #expect(items == [FormItem(name: "x", value: "A b"), FormItem(name: "x", value: "2")])
}
