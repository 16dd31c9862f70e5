import HTTP1
import Support
import Testing

@Test func aResponseIsTakenApartIntoItsParts() throws {
  let transcript = EveryWay.responses("HTTP/1.1 201 Created it\r\nContent-Length: 2\r\nX: y\r\n\r\n{}")
  let message = try #require(transcript.messages.first)
  #expect(transcript.isComplete)
  #expect(message.line == "HTTP/1.1 201 Created it")
  #expect(message.framing == .length(2))
  #expect(message.keepAlive)
  #expect(message.content == "{}")
}

@Test func aReasonMayBeEmpty() {
  #expect(EveryWay.responses("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n").isComplete)
}

@Test(arguments: [
  (HTTPMethod.head, "200 OK", "Content-Length: 5\r\n"), (.head, "200 OK", "Transfer-Encoding: chunked\r\n"),
  (.get, "204 No Content", ""), (.get, "304 Not Modified", "Content-Length: 5\r\n"), (.get, "103 Early Hints", ""),
])
func someResponsesHaveNoBody(method: HTTPMethod, status: String, field: String) {
  let next = "HTTP/1.1 204 No Content\r\n\r\n"
  let transcript = EveryWay.responses("HTTP/1.1 \(status)\r\n\(field)\r\n\(next)", to: method)
  #expect(transcript.error == nil)
  #expect(transcript.messages.map(\.framing) == [.none, .none])
}

/// RFC 9112 §4 wants a space behind the status of every line; servers forget it where there is no phrase.
@Test func theSpaceBeforeNoPhraseMayBeMissing() {
  let transcript = EveryWay.responses(
    "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\nHTTP/1.1 201 \r\nContent-Length: 0\r\n\r\n")
  #expect(transcript.error == nil && transcript.messages.count == 2)
}

/// RFC 9112 §5.2: a user agent reads a folded line as one with spaces.
@Test func aFieldMayGoOnInTheNextLine() throws {
  let text = "HTTP/1.1 200 OK\r\nX: one\r\n  two \r\n\t\r\nY:\r\n\tz\r\nContent-Length:\r\n 2\r\n\r\nok"
  let message = try #require(EveryWay.responses(text).messages.first)
  #expect(message.value("X") == "one    two" && message.value("Y") == "z")
  #expect(message.framing == .length(2) && message.content == "ok")
}

/// RFC 9112 §2.2: a recipient may read a line feed alone as the end of a line; the clients of phones do.
@Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 200"], ["\n", "\r\n"])
func linesMayEndWithALineFeed(start: String, end: String) throws {
  let text = "\(start)\nX: one\n two\(end)Content-Length: 2\(end)Y:\n\(end)ok"
  let transcript = EveryWay.responses(text + text)
  #expect(transcript.error == nil && transcript.messages.count == 2)
  let message = try #require(transcript.messages.last)
  #expect(message.value("X") == "one  two" && message.value("Y") == "" && message.content == "ok")
}

/// RFC 9112 §6.3, rule 5: a list of equal lengths is one.
@Test(arguments: ["Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2, 2\r\n"])
func theSameLengthMayStandTwice(fields: String) {
  #expect(EveryWay.responses("HTTP/1.1 200 OK\r\n\(fields)\r\nok").messages.first?.framing == .length(2))
}

@Test func anInterimResponsePrecedesTheFinalOne() throws {
  var parser = ResponseParser(to: .post)
  var head = ResponseHead()
  let input = Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
  let interim = try parser.next(input.span, into: &head)
  #expect(interim.event == .head)
  #expect(head.isInterim)
  #expect(try parser.next(input.span.extracting(interim.taken...), into: &head).event == .end)
  parser.beginNextResponse(to: .post)
  #expect(try parser.next(input.span.extracting(interim.taken...), into: &head).event == .head)
  #expect(head.status == 200)
  #expect(!head.isInterim)
}

@Test func aBodyMayLastUntilTheConnectionEnds() throws {
  var parser = ResponseParser(to: .get)
  var head = ResponseHead()
  let input = Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)
  let step = try parser.next(input.span, into: &head)
  #expect(head.framing == .untilClose)
  #expect(!head.keepAlive)
  #expect(try parser.next(input.span.extracting(step.taken...), into: &head).event == .body(0..<3))
  try parser.finish()
  #expect(try parser.next(input.span, into: &head) == MessageStep(taken: 0, event: .end))
}

@Test func aBodyUntilTheEndMayFillItsBound() {
  var limits = HTTPLimits()
  limits.bodyBytes = 3
  #expect(EveryWay.responses("HTTP/1.1 200 OK\r\n\r\nabc", limits: limits).error == nil)
  #expect(EveryWay.responses("HTTP/1.1 200 OK\r\n\r\nabcd", limits: limits).error?.code == .bodyTooLarge)
}

@Test(arguments: ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"])
func aResponseThatWasCutOffIsNotComplete(text: String) throws {
  var parser = ResponseParser(to: .get)
  var head = ResponseHead()
  let input = Array(text.utf8)
  var taken = 0
  while taken < input.count { taken += try parser.next(input.span.extracting(taken...), into: &head).taken }
  let error = #expect(throws: HTTPError.self) { try parser.finish() }
  #expect(error?.code == .truncated)
  #expect(error?.offset == input.count)
}

@Test(arguments: [
  (HTTPError.Code.malformedStatusLine, "HTTP/1.1 200", "\t\r\n\r\n"),
  (.malformedStatusLine, "HTTP/1.1 20", " OK\r\n\r\n"),
  (.malformedStatusLine, "HTTP/1.1 200", "0 OK\r\n\r\n"), (.malformedStatusLine, "HTTP/1.1 ", "600 OK\r\n\r\n"),
  (.malformedStatusLine, "HTTP/1.1 ", "099 OK\r\n\r\n"), (.malformedStatusLine, "", "\r\nHTTP/1.1 200 OK\r\n\r\n"),
  (.malformedStatusLine, "HTTP/1.1 200 O", "\0K\r\n\r\n"), (.malformedStatusLine, "", "ICY 200 OK\r\n\r\n"),
  (.versionNotSupported, "HTTP/", "2.0 200 OK\r\n\r\n"), (.malformedStatusLine, "HTTP/1.1 2", "\n\n"),
  (.missingColon, "HTTP/1.1 200 OK\nX", "\n\n"), (.bareCarriageReturn, "HTTP/1.1 200 OK\nX: a", "\rb\n\n"),
  (.bareCarriageReturn, "HTTP/1.1 200 OK", "\rX\r\n\r\n"), (.upgradeNotExpected, "HTTP/1.1 ", "101 Up\r\n\r\n"),
  (.foldedLine, "HTTP/1.1 200 OK\r\n", " b\r\n\r\n"),
  (.invalidFieldValue, "HTTP/1.1 200 OK\r\nX: a\r\n b", "\0\r\n\r\n"),
  (.invalidLength, "HTTP/1.1 200 OK\r\nContent-Length: 1", "\r\n 2\r\n\r\n"),
  (.lengthAndEncoding, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: ", "chunked\r\n\r\n"),
  (.repeatedLength, "HTTP/1.1 200 OK\r\nContent-Length: ", "0\r\nContent-Length: 1\r\n\r\n"),
  (.repeatedLength, "HTTP/1.1 200 OK\r\nContent-Length: ", "1, 2\r\n\r\n"),
  (.invalidLength, "HTTP/1.1 200 OK\r\nContent-Length: 1,", "\r\n\r\nx"),
  (.encodingInHTTP10, "HTTP/1.0 200 OK\r\nTransfer-Encoding: ", "chunked\r\n\r\n"),
])
func wrongResponsesAreRefused(code: HTTPError.Code, before: String, after: String) {
  let transcript = EveryWay.responses(before + after)
  #expect(transcript.error?.code == code)
  #expect(transcript.error?.offset == before.utf8.count)
}
