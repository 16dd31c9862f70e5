import HTTP1
import Support
import Testing

private let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

@Test(arguments: [
  ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
  ("5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n", "hello0123456789"),
  ("9\r\n\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n0\r\n\r\n"),
  ("0000000000000001\r\nx\r\n0000000000000000\r\n\r\n", "x"),
  ("1;a\r\nx\r\n0\r\n\r\n", "x"), ("1;a=b;c=\"d;\\\"\"\r\nx\r\n0\r\n\r\n", "x"),
  ("1 ; a = b ; c\t=\t\"\" \t;d\r\nx\r\n0;e=f\r\n\r\n", "x"), ("0\r\nA: b\r\nC:\r\n\r\n", ""),
  ("1\r\nx\r\n0\r\nContent-Length: 99\r\nTransfer-Encoding: gzip\r\n\r\n", "x"),
])
func chunksAreJoined(chunks: String, content: String) {
  let transcript = EveryWay.requests(head + chunks)
  #expect(transcript.error == nil)
  #expect(transcript.messages.map(\.content) == [content])
  #expect(transcript.messages.first?.end == head.utf8.count + chunks.utf8.count)
}

@Test(arguments: [
  (400, HTTPError.Code.invalidChunkSize, "", "\r\n"), (400, .invalidChunkSize, "", "-1\r\n"),
  (400, .invalidChunkSize, "", "+1\r\nx"), (400, .invalidChunkSize, "", " 1\r\nx"),
  (400, .invalidChunkSize, "0", "x1\r\nx"),
  (400, .invalidChunkSize, "1 ", "\r\nx"), (400, .invalidChunkSize, "1 ", "2\r\nx"),
  (400, .invalidChunkSize, "1", "_0\r\n"),
  (400, .invalidChunkSize, "", ";a\r\n"), (400, .bareLineFeed, "1", "\nx\r\n0\r\n\r\n"),
  (400, .bareLineFeed, "1;a", "\nx"),
  (400, .bareLineFeed, "1;a=\"b", "\n\"\r\nx"), (400, .bareLineFeed, "", "\n"),
  (400, .bareCarriageReturn, "1\r", "x\r\n"),
  (400, .bareCarriageReturn, "1;a\r", "x\r\n"), (400, .chunkSizeTooLong, "0000000000000000", "1\r\nx"),
  (413, .bodyTooLarge, "ffffffffffffffff", "\r\nx"), (413, .bodyTooLarge, "7fffffffffffffff", "\r\nx"),
  (413, .bodyTooLarge, "1\r\nx\r\nffffffffffffffff", "\r\n"), (413, .bodyTooLarge, "800001;a=b", "\r\nx"),
  (400, .missingChunkEnd, "1\r\nx", "y\r\n0\r\n\r\n"), (400, .missingChunkEnd, "1\r\nx", "\n0\r\n\r\n"),
  (400, .missingChunkEnd, "1\r\nx\r", "0\r\n\r\n"), (400, .invalidChunkExtension, "1;", "\r\nx"),
  (400, .invalidChunkExtension, "1;a=", "\r\nx"), (400, .invalidChunkExtension, "1;a ", "b\r\n"),
  (400, .invalidChunkExtension, "1;a=\"b\"", "c\r\nx"), (400, .invalidChunkExtension, "1;a=\"b", "\r\nx"),
  (400, .invalidChunkExtension, "1;", "=b\r\nx"), (400, .invalidChunkExtension, "1;a=b", "=c\r\n"),
  (400, .invalidChunkExtension, "1;a", "\0\r\nx"), (400, .foldedLine, "0\r\n", " a: b\r\n\r\n"),
  (400, .spaceBeforeColon, "0\r\na", " : b\r\n\r\n"), (400, .missingColon, "0\r\na", "\r\n\r\n"),
  (400, .invalidFieldName, "0\r\n", ": b\r\n\r\n"), (400, .invalidFieldValue, "0\r\na: ", "\0\r\n\r\n"),
  (400, .bareLineFeed, "0\r\na: b", "\n\r\n"), (400, .bareLineFeed, "0\r\n", "\n"),
  (400, .bareCarriageReturn, "0\r\n\r", "x"),
  (400, .bareCarriageReturn, "0\r\na: b\r", "\r\n"),
])
func wrongChunksAreRefused(status: Int, code: HTTPError.Code, before: String, after: String) {
  let transcript = EveryWay.requests(head + before + after)
  #expect(transcript.error?.code == code)
  #expect(transcript.error?.status == status)
  #expect(transcript.error?.offset == head.utf8.count + before.utf8.count)
}

@Test func contentIsNeverCopied() throws {
  var parser = RequestParser()
  var request = RequestHead()
  let input = Array((head + "5\r\nhello\r\n").utf8)
  let headStep = try parser.next(input.span, into: &request)
  let step = try parser.next(input.span.extracting(headStep.taken...), into: &request)
  #expect(step == MessageStep(taken: 8, event: .body(3..<8)))
}
