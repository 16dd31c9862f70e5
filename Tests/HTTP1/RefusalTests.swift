import HTTP1
import Support
import Testing

struct Refusal: Sendable, CustomTestStringConvertible {
  let text: String
  let status: Int
  let code: HTTPError.Code
  /// The place of the byte that decides, marked in the text by what precedes it.
  let offset: Int

  init(_ status: Int, _ code: HTTPError.Code, _ before: String, _ after: String) {
    self.status = status
    self.code = code
    text = before + after
    offset = before.utf8.count
  }

  var testDescription: String { text.debugDescription }
}

private let startLines = [
  Refusal(400, .malformedRequestLine, "GET /", "\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET", "\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET ", " / HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET", "\t/ HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / ", " HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / HTTP/1.1", " \r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / HTTP/1.1", "0\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / ", "http/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / HTTP/1", "\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "GET / HTTP/", "x.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .malformedRequestLine, "G", "(T / HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .bareLineFeed, "GET / HTTP/1.1", "\nHost: h\n\n"),
  Refusal(400, .bareLineFeed, "", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .bareCarriageReturn, "GET / HTTP/1.1", "\r\r\nHost: h\r\n\r\n"),
  Refusal(400, .bareCarriageReturn, "GET /", "\rx HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .bareCarriageReturn, "", "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(505, .versionNotSupported, "GET / HTTP/", "2.0\r\nHost: h\r\n\r\n"),
  Refusal(505, .versionNotSupported, "GET / HTTP/", "0.9\r\n\r\n"),
  Refusal(505, .versionNotSupported, "PRI * HTTP/", "2.0\r\n\r\nSM\r\n\r\n"),
  Refusal(501, .methodNotImplemented, "", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"),
]

private let fieldLines = [
  Refusal(400, .foldedLine, "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n", " b\r\n\r\n"),
  Refusal(400, .foldedLine, "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n", "\tb\r\n\r\n"),
  Refusal(400, .foldedLine, "GET / HTTP/1.1\r\n", " Host: h\r\n\r\n"),
  Refusal(400, .spaceBeforeColon, "GET / HTTP/1.1\r\nHost", " : h\r\n\r\n"),
  Refusal(400, .spaceBeforeColon, "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding", "\t: chunked\r\n\r\n"),
  Refusal(400, .spaceBeforeColon, "GET / HTTP/1.1\r\nHost: h\r\nno", " colon\r\n\r\n"),
  Refusal(400, .missingColon, "GET / HTTP/1.1\r\nHost", "\r\n\r\n"),
  Refusal(400, .invalidFieldName, "GET / HTTP/1.1\r\nHost: h\r\n", ": empty\r\n\r\n"),
  Refusal(400, .invalidFieldName, "GET / HTTP/1.1\r\nHost: h\r\nX", "\0Y: a\r\n\r\n"),
  Refusal(400, .invalidFieldName, "GET / HTTP/1.1\r\nHost: h\r\nX", "\u{E9}: a\r\n\r\n"),
  Refusal(400, .invalidFieldValue, "GET / HTTP/1.1\r\nHost: h\r\nX: a", "\0b\r\n\r\n"),
  Refusal(400, .invalidFieldValue, "GET / HTTP/1.1\r\nHost: h\r\nX: a\t", "\u{B}b\r\n\r\n"),
  Refusal(400, .invalidFieldValue, "GET / HTTP/1.1\r\nHost: h\r\nX: ", "\u{7F}\r\n\r\n"),
  Refusal(400, .bareLineFeed, "GET / HTTP/1.1\r\nHost: h", "\nX: a\r\n\r\n"),
  Refusal(400, .bareLineFeed, "GET / HTTP/1.1\r\nHost: h\r\n", "\nX: a\r\n\r\n"),
  Refusal(400, .bareLineFeed, "GET / HTTP/1.1\r\nHost", "\n\r\n"),
  Refusal(400, .bareCarriageReturn, "GET / HTTP/1.1\r\nHost: h", "\rX: a\r\n\r\n"),
  Refusal(400, .bareCarriageReturn, "GET / HTTP/1.1\r\nHost: h\r\n", "\rX: a\r\n\r\n"),
  Refusal(400, .bareCarriageReturn, "GET / HTTP/1.1\r\nHost: h\r\nX: a", "\r\r\n\r\n"),
]

private let post = "POST / HTTP/1.1\r\nHost: h\r\n"
private let framings = [
  Refusal(400, .lengthAndEncoding, post + "Content-Length: 5\r\nTransfer-Encoding: ", "chunked\r\n\r\n0\r\n\r\n"),
  Refusal(400, .lengthAndEncoding, post + "Transfer-Encoding: ", "chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
  Refusal(400, .repeatedLength, post + "Content-Length: ", "5\r\nContent-Length: 5\r\n\r\nhello"),
  Refusal(400, .repeatedLength, post + "Content-Length: ", "5\r\nContent-Length: 6\r\n\r\nhello"),
  Refusal(400, .invalidLength, post + "Content-Length: 5", ", 5\r\n\r\nhello"),
  Refusal(400, .invalidLength, post + "Content-Length: ", "+5\r\n\r\nhello"),
  Refusal(400, .invalidLength, post + "Content-Length: ", "-1\r\n\r\n"),
  Refusal(400, .invalidLength, post + "Content-Length: 0", "x5\r\n\r\nhello"),
  Refusal(400, .invalidLength, post + "Content-Length: 1", " 2\r\n\r\n"),
  Refusal(400, .invalidLength, post + "Content-Length:", "\r\n\r\n"),
  Refusal(413, .bodyTooLarge, post + "Content-Length: ", "8388609\r\n\r\n"),
  Refusal(413, .bodyTooLarge, post + "Content-Length: ", "99999999999999999999999999999999\r\n\r\n"),
  Refusal(400, .encodingInHTTP10, "POST / HTTP/1.0\r\nTransfer-Encoding: ", "chunked\r\n\r\n0\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: chunked, ", "chunked\r\n\r\n0\r\n\r\n"),
  Refusal(
    400, .invalidEncoding, post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: ", "chunked\r\n\r\n0\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: chunked, ", "gzip\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: ", "gzip\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: ", "identity\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: ", "xchunked\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: chunked", ";q=1\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding: ", ",chunked\r\n\r\n"),
  Refusal(400, .invalidEncoding, post + "Transfer-Encoding:", "\r\n\r\n"),
  Refusal(501, .unknownEncoding, post + "Transfer-Encoding: ", "gzip, chunked\r\n\r\n"),
  Refusal(417, .unknownExpectation, post + "Content-Length: 1\r\nExpect: ", "200-ok\r\n\r\n"),
  Refusal(417, .unknownExpectation, post + "Content-Length: 1\r\nExpect: ", "100-continue, x\r\n\r\n"),
  Refusal(400, .invalidConnection, post + "Connection: keep", " alive\r\n\r\n"),
]

private let hosts = [
  Refusal(400, .missingHost, "GET / HTTP/1.1", "\r\n\r\n"),
  Refusal(400, .missingHost, "GET http://a/ HTTP/1.1", "\r\n\r\n"),
  Refusal(400, .repeatedHost, "GET / HTTP/1.1\r\nHost: ", "a\r\nHost: a\r\n\r\n"),
  Refusal(400, .repeatedHost, "GET / HTTP/1.0\r\nHost: ", "a\r\nHost: b\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: a", " b\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: a", "/b\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: u", "@h\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: h:8", "x\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: [::1", "\r\n\r\n"),
  Refusal(400, .invalidHost, "GET / HTTP/1.1\r\nHost: [::1]", "x\r\n\r\n"),
  Refusal(400, .invalidHost, "GET http://", "/ HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .invalidHost, "GET http://u", "@h/ HTTP/1.1\r\nHost: h\r\n\r\n"),
  Refusal(400, .invalidHost, "GET http://h/ HTTP/1.1\r\nHost: a", "<b\r\n\r\n"),
]

@Test(arguments: startLines) func wrongStartLinesAreRefused(refusal: Refusal) { check(refusal) }
@Test(arguments: fieldLines) func wrongFieldLinesAreRefused(refusal: Refusal) { check(refusal) }
@Test(arguments: framings) func doubtfulFramingIsRefused(refusal: Refusal) { check(refusal) }
@Test(arguments: hosts) func wrongHostsAreRefused(refusal: Refusal) { check(refusal) }

private func check(_ refusal: Refusal) {
  let transcript = EveryWay.requests(refusal.text)
  #expect(transcript.error?.code == refusal.code)
  #expect(transcript.error?.status == refusal.status)
  #expect(transcript.error?.offset == refusal.offset)
  #expect(transcript.messages.isEmpty)
}
