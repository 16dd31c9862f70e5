import HTTP1
import Support
import Testing

private func request(target: String = "/", fields: String = "", body: String = "") -> String {
  "GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\(body)"
}

private func code(_ text: String) -> HTTPError.Code? {
  let transcript = EveryWay.requests(text)
  #expect(transcript.error != nil || transcript.isComplete)
  return transcript.error?.code
}

private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

@Test func theDefaultsAreTheDocumentedFigures() {
  let limits = HTTPLimits()
  #expect(limits.headBytes == 16_384)
  #expect(limits.fieldCount == 100)
  #expect(limits.targetBytes == 8_192)
  #expect(limits.methodBytes == 16)
  #expect(limits.leadingEmptyLines == 4)
  #expect(limits.chunkSizeDigits == 16)
  #expect(limits.chunkExtensionBytes == 4_096)
  #expect(limits.trailerBytes == 4_096)
  #expect(limits.bodyBytes == 8_388_608)
  #expect(limits.requestsPerConnection == 10_000)
}

@Test func aHeadMayFillItsBound() {
  let bare = request(fields: "X: \r\n").utf8.count
  #expect(code(request(fields: "X: \(repeated("x", 16_384 - bare))\r\n")) == nil)
  #expect(code("\r\n\r\n" + request(fields: "X: \(repeated("x", 16_384 - bare))\r\n")) == nil)
  let over = EveryWay.requests(request(fields: "X: \(repeated("x", 16_385 - bare))\r\n"))
  #expect(over.error?.code == .headTooLarge)
  #expect(over.error?.status == 431)
  #expect(over.error?.offset == 16_384)
}

@Test func aFieldLineWithoutEndIsRefusedAtTheBound() {
  #expect(code(request().dropLast(2) + "X: " + repeated("x", 20_000)) == .headTooLarge)
  #expect(code(request().dropLast(2) + "X: \0" + repeated("x", 20_000)) == .headTooLarge)
}

@Test func aHundredFieldsAreAllowed() {
  #expect(code(request(fields: repeated("X: y\r\n", 99))) == nil)
  let over = EveryWay.requests(request(fields: repeated("X: y\r\n", 100)))
  #expect(over.error?.code == .tooManyFields)
  #expect(over.error?.status == 431)
}

@Test func aTargetMayFillItsBound() {
  #expect(code(request(target: "/" + repeated("a", 8_191))) == nil)
  let over = EveryWay.requests(request(target: "/" + repeated("a", 8_192)))
  #expect(over.error?.code == .targetTooLong)
  #expect(over.error?.status == 414)
  #expect(over.error?.offset == 4 + 8_192)
  #expect(code("GET /" + repeated("a", 30_000)) == .targetTooLong)
}

@Test func aMethodMayFillItsBound() {
  #expect(code(repeated("M", 16) + " / HTTP/1.1\r\nHost: h\r\n\r\n") == nil)
  let over = EveryWay.requests(repeated("M", 17) + " / HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(over.error?.code == .methodTooLong)
  #expect(over.error?.status == 501)
  #expect(code(repeated("M", 30_000)) == .methodTooLong)
}

@Test func theLongestRequestLineIsAllowed() {
  let target = "/" + repeated("a", 8_191)
  #expect(code("\(repeated("M", 16)) \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == nil)
  #expect(code("\(repeated("M", 16)) \(target) HTTP/1.1 \r\nHost: h\r\n\r\n") == .malformedRequestLine)
}

@Test func fourEmptyLinesMayPrecedeARequest() {
  #expect(code(repeated("\r\n", 4) + request()) == nil)
  let over = EveryWay.requests(repeated("\r\n", 5) + request())
  #expect(over.error == HTTP1Transcript.ofRequests(Array(repeated("\r\n", 5).utf8).span, pieces: [10]).error)
  #expect(over.error?.code == .tooManyEmptyLines)
  #expect(over.error?.offset == 8)
}

@Test func zerosBeforeAChunkSizeAreCounted() {
  let head = request(fields: "Transfer-Encoding: chunked\r\n")
  #expect(code(head + repeated("0", 15) + "1\r\nx\r\n0\r\n\r\n") == nil)
  #expect(code(head + repeated("0", 16) + "1\r\nx\r\n0\r\n\r\n") == .chunkSizeTooLong)
  #expect(code(head + repeated("0", 5_000)) == .chunkSizeTooLong)
}

@Test func chunkExtensionsAreCountedOverTheWholeBody() {
  let head = request(fields: "Transfer-Encoding: chunked\r\n")
  let half = "1;" + repeated("e", 2_047) + "\r\nx\r\n"
  #expect(code(head + half + half + "0\r\n\r\n") == nil)
  let over = EveryWay.requests(head + half + half + "0;e\r\n\r\n")
  #expect(over.error?.code == .chunkExtensionsTooLarge)
  #expect(over.error?.status == 413)
}

@Test func trailersMayFillTheirBound() {
  let head = request(fields: "Transfer-Encoding: chunked\r\n")
  #expect(code(head + "0\r\nX: " + repeated("x", 4_096 - 5) + "\r\n\r\n") == nil)
  let over = EveryWay.requests(head + "0\r\nX: " + repeated("x", 4_097 - 5) + "\r\n\r\n")
  #expect(over.error?.code == .trailersTooLarge)
  #expect(over.error?.status == 431)
}

@Test func aBodyMayFillItsBound() {
  var limits = HTTPLimits()
  limits.bodyBytes = 10
  for (length, expected) in [(10, nil), (11, HTTPError.Code.bodyTooLarge)] {
    let content = repeated("x", length)
    for text in [
      request(fields: "Content-Length: \(length)\r\n", body: content),
      request(
        fields: "Transfer-Encoding: chunked\r\n",
        body: "4\r\nxxxx\r\n\(length - 4)\r\n" + repeated("x", length - 4) + "\r\n0\r\n\r\n"),
    ] {
      let transcript = EveryWay.requests(text, limits: limits)
      #expect(transcript.error?.code == expected)
      if expected == nil { #expect(transcript.messages.first?.content == content) }
    }
  }
}

/// Were a byte looked at again for each that follows it, this would take 2^35 steps, some ten minutes in debug.
@Test(.timeLimit(.minutes(5)), arguments: ["x", "X: y\r\n"])
func theWorkGrowsWithTheInputAndNotWithItsPieces(piece: String) {
  var limits = HTTPLimits()
  limits.headBytes = 300_000
  limits.fieldCount = 100_000
  let fields = "A: " + repeated(piece, 262_144 / piece.utf8.count) + "\r\n"
  let input = Array(request(fields: fields).utf8)
  let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.singleBytes(input.count), limits: limits)
  #expect(transcript.isComplete)
}
