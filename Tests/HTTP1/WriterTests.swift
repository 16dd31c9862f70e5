import HTTP1
import Support
import Testing

private func text(_ write: (inout [UInt8]) throws -> Void) rethrows -> String {
  var bytes: [UInt8] = []
  try write(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Test func aResponseIsWrittenAsItIsRead() {
  var bytes: [UInt8] = []
  ResponseWriter.interimContinue(into: &bytes)
  ResponseWriter.statusLine(200, into: &bytes)
  HeadWriter.field("Content-Type", "application/json", into: &bytes)
  HeadWriter.contentLength(2, into: &bytes)
  HeadWriter.end(into: &bytes)
  bytes += Array("{}".utf8)
  let expected =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
  #expect(String(decoding: bytes, as: UTF8.self) == expected)
  let transcript = HTTP1Transcript.ofResponses(bytes.span, pieces: Cuts.whole(bytes.count), to: .post)
  #expect(transcript.isComplete)
  #expect(transcript.messages.map(\.content) == ["", "{}"])
}

@Test func aChunkedRequestIsWrittenAsItIsRead() throws {
  var bytes: [UInt8] = []
  let target = Array("/locations?x=%20".utf8)
  let host = Array("example.com".utf8)
  let run = Array(repeating: UInt8(ascii: "x"), count: 300)
  let empty: [UInt8] = []
  try RequestWriter.requestLine(.post, target.span, into: &bytes)
  try HeadWriter.field("Host", host.span, into: &bytes)
  HeadWriter.chunked(into: &bytes)
  HeadWriter.end(into: &bytes)
  ChunkWriter.chunk(run.span, into: &bytes)
  ChunkWriter.chunk(empty.span, into: &bytes)
  ChunkWriter.chunk(run.span, into: &bytes)
  ChunkWriter.end(into: &bytes)
  let transcript = HTTP1Transcript.ofRequests(bytes.span, pieces: Cuts.whole(bytes.count))
  #expect(transcript.isComplete)
  #expect(transcript.messages.first?.line == "POST /locations?x=%20 HTTP/1.1")
  #expect(transcript.messages.first?.body == run + run)
}

@Test func statusLinesHaveTheirReasons() {
  #expect(text { ResponseWriter.statusLine(431, into: &$0) } == "HTTP/1.1 431 Request Header Fields Too Large\r\n")
  #expect(text { ResponseWriter.statusLine(299, into: &$0) } == "HTTP/1.1 299 \r\n")
}

@Test func everyRefusalHasAReasonPhrase() {
  for code in HTTPError.Code.allCases { #expect(StatusReason.phrase(for: code.status).utf8CodeUnitCount > 0) }
}

@Test func numbersAreWrittenInDecimal() {
  for number in [0, 7, 10, 1234567890, Int.max, -1, Int.min] {
    #expect(text { HeadWriter.field("N", number, into: &$0) } == "N: \(number)\r\n")
  }
}

@Test func noValueCanEndItsLine() {
  let name = Array("X".utf8)
  for byte in UInt8.min...UInt8.max {
    let value = [65, byte, 66]
    let forbidden = (byte < 32 && byte != 9) || byte == 127
    var bytes: [UInt8] = []
    do throws(HTTPError) {
      try HeadWriter.field("X", value.span, into: &bytes)
      try HeadWriter.field(name.span, value.span, into: &bytes)
      #expect(!forbidden, "byte \(byte)")
      #expect(bytes == Array("X: ".utf8) + value + Array("\r\nX: ".utf8) + value + [13, 10])
    } catch {
      #expect(forbidden, "byte \(byte)")
      #expect(error == HTTPError(.invalidFieldValue, at: 1))
      #expect(bytes.isEmpty)
    }
  }
}

@Test func noNameCanBeAnythingButAToken() {
  let value = Array("v".utf8)
  var bytes: [UInt8] = []
  for wrong in ["", "a b", "a:", "a\r\nb", "é", "a\0"] {
    let name = Array(wrong.utf8)
    let error = #expect(throws: HTTPError.self) { try HeadWriter.field(name.span, value.span, into: &bytes) }
    #expect(error?.code == .invalidFieldName)
  }
  #expect(bytes.isEmpty)
}

@Test func noTargetCanEndItsLine() {
  var bytes: [UInt8] = []
  for wrong in ["", "/a b", "/a\r\nX: y", "/é", "/#"] {
    let target = Array(wrong.utf8)
    #expect(throws: HTTPError.self) { try RequestWriter.requestLine(.get, target.span, into: &bytes) }
  }
  #expect(bytes.isEmpty)
}
