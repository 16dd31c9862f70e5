import HTTP1
import Support
import Testing

/// The grammar of RFC 9110 and RFC 3986 written out as text, to hold the parser's bit masks against.
private enum Grammar {
  static let alphanumeric = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  static let token = alphanumeric.union("!#$%&'*+-.^_`|~".utf8)
  static let unreserved = alphanumeric.union("-._~".utf8)
  static let subDelimiters = Set("!$&'()*+,;=".utf8)
  static let pathCharacter = unreserved.union(subDelimiters).union(":@".utf8)
  static let path = pathCharacter.union("/[]|".utf8)
  static let query = pathCharacter.union("/?[]{}|\\^`".utf8)
  static let host = unreserved.union(subDelimiters)
  static let fieldValue = Set([UInt8(9)] + Array(32...126) + Array(128...255))
}

/// Puts every byte value in place of "@" and reads the result in one piece and byte by byte.
private func codes(_ text: String) -> [HTTPError.Code?] {
  (UInt8.min...UInt8.max).map { byte in
    let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "@") ? byte : $0 }
    let whole = GuardedBytes(bytes).withSpan { HTTP1Transcript.ofRequests($0, pieces: Cuts.whole(bytes.count)) }
    let single = HTTP1Transcript.ofRequests(bytes.span, pieces: Cuts.singleBytes(bytes.count))
    #expect(whole == single, "byte \(byte)")
    #expect(whole.error != nil || whole.isComplete, "byte \(byte)")
    return whole.error?.code
  }
}

private func accepted(_ codes: [HTTPError.Code?]) -> Set<UInt8> {
  Set(codes.indices.filter { codes[$0] == nil }.map { UInt8($0) })
}

@Test func aMethodConsistsOfTokenCharacters() {
  let codes = codes("G@T / HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(accepted(codes) == Grammar.token)
  #expect(codes[10] == .bareLineFeed)
  #expect(codes[13] == .bareCarriageReturn)
}

@Test func aFieldNameConsistsOfTokenCharacters() {
  let codes = codes("GET / HTTP/1.1\r\nHost: h\r\nA@B: c\r\n\r\n")
  // A colon ends the name early: "A" with the value "B: c".
  #expect(accepted(codes) == Grammar.token.union(":".utf8))
  #expect(codes[32] == .spaceBeforeColon)
  #expect(codes[9] == .spaceBeforeColon)
}

@Test func aFieldNameBeginsWithATokenCharacter() {
  let codes = codes("GET / HTTP/1.1\r\nHost: h\r\n@: c\r\n\r\n")
  #expect(accepted(codes) == Grammar.token)
  #expect(codes[32] == .foldedLine)
  #expect(codes[9] == .foldedLine)
}

@Test(arguments: ["X: @", "X: a@", "X: @b", "X: 0123456789@0123456789", "X: a\t@\t"])
func aFieldValueHoldsNoControlsButTheTab(line: String) {
  let codes = codes("GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
  #expect(accepted(codes) == Grammar.fieldValue)
  #expect(codes[10] == .bareLineFeed)
  #expect(codes[13] == .bareCarriageReturn)
  #expect(codes[0] == .invalidFieldValue)
}

@Test func afterACarriageReturnOnlyALineFeedMayCome() {
  for text in [
    "GET / HTTP/1.1\r@Host: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r@X: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r@",
  ] {
    let bytes = Array(text.utf8)
    for byte in UInt8.min...UInt8.max {
      let input = bytes.map { $0 == UInt8(ascii: "@") ? byte : $0 } + [10]
      let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.singleBytes(input.count))
      let expected: HTTPError.Code? = byte == 10 ? nil : .bareCarriageReturn
      if byte == 10, text.hasSuffix("@") {
        // The line feed that was appended is the bare beginning of a next request.
        #expect(transcript.error?.code == .bareLineFeed)
      } else if byte == 10 {
        #expect(transcript.error == HTTP1Transcript.ofRequests(input.span, pieces: [input.count]).error)
        #expect(transcript.messages.count == 1)
      } else {
        #expect(transcript.error?.code == expected, "byte \(byte) in \(text.debugDescription)")
      }
    }
  }
}

@Test func aPathConsistsOfItsCharacters() {
  // A space ends the target, "%" wants digits, and the rest is another path or query.
  let codes = codes("GET /a@b HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(accepted(codes) == Grammar.path.union("?".utf8))
  #expect(codes[Int(UInt8(ascii: "%"))] == .invalidEscape)
}

@Test func aQueryConsistsOfItsCharacters() {
  let codes = codes("GET /?a@b HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(accepted(codes) == Grammar.query)
  #expect(codes[Int(UInt8(ascii: "#"))] == .invalidTargetCharacter)
}

@Test func aHostConsistsOfItsCharacters() {
  // A colon begins the port; white space at the edge would be trimmed, so the byte stands inside.
  #expect(accepted(codes("GET / HTTP/1.1\r\nHost: a@1\r\n\r\n")) == Grammar.host.union(":".utf8))
}

@Test func aLengthConsistsOfDigits() {
  for byte in Grammar.fieldValue {
    let input = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0".utf8) + [byte] + Array("0\r\n\r\n".utf8)
    let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.singleBytes(input.count))
    if let digit = "0123456789".utf8.firstIndex(of: byte) {
      let length = "0123456789".utf8.distance(from: "0123456789".utf8.startIndex, to: digit) * 10
      #expect(transcript.error == nil)
      #expect(transcript.messages.first?.framing == .length(length))
    } else {
      #expect(transcript.error?.code == .invalidLength, "byte \(byte)")
    }
  }
}

@Test func aChunkSizeConsistsOfHexadecimalDigits() {
  let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
  for byte in UInt8.min...UInt8.max {
    let digit = Int(String(UnicodeScalar(byte)), radix: 16)
    let content = String(repeating: "x", count: digit ?? 0)
    let input =
      Array(head.utf8) + [48, byte] + Array("\r\n\(content)".utf8)
      + (digit == 0 ? [13, 10] : Array("\r\n0\r\n\r\n".utf8))
    let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.singleBytes(input.count))
    if digit != nil, byte < 128 {
      #expect(transcript.isComplete, "byte \(byte)")
      #expect(transcript.messages.first?.content == content)
    } else {
      #expect(transcript.error != nil, "byte \(byte)")
    }
  }
}
