extension HeadFields {
  /// Reads `method SP target SP HTTP-version CR` in `start..<end`; `end` is the place of the line feed, or of the bound
  /// when the line is longer (RFC 9112 §3).
  mutating func readRequestLine(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, limits: HTTPLimits
  ) throws(HTTPError) {
    var index = start
    while index < end, ByteSet.token.contains(bytes[index]) {
      if index - start == limits.methodBytes { throw HTTPError(.methodTooLong, at: index) }
      index += 1
    }
    guard index > start, index < end, bytes[index] == .space else {
      throw HTTPError(lineCode(bytes, index, end, else: .malformedRequestLine), at: index)
    }
    let method = ByteRange(start, index)
    index += 1

    let targetStart = index
    while index < end, bytes[index] > .space, bytes[index] < .delete {
      if index - targetStart == limits.targetBytes { throw HTTPError(.targetTooLong, at: index) }
      index += 1
    }
    guard index > targetStart, index < end, bytes[index] == .space else {
      let other: HTTPError.Code =
        index < end && bytes[index] > .space ? .invalidTargetCharacter : .malformedRequestLine
      throw HTTPError(lineCode(bytes, index, end, else: other), at: index)
    }
    let target = ByteRange(targetStart, index)
    index += 1

    version = try HTTPVersion(bytes, at: index, end: end, malformed: .malformedRequestLine)
    startLine = (method, target, ByteRange(index, index + HTTPVersion.byteCount))
    try endStartLine(bytes, at: index + HTTPVersion.byteCount, to: end, else: .malformedRequestLine)
  }

  /// Reads `HTTP-version SP status-code SP [reason-phrase] CR` in `start..<end` (RFC 9112 §4).
  mutating func readStatusLine(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPError) {
    version = try HTTPVersion(bytes, at: start, end: end, malformed: .malformedStatusLine)
    let code = start + HTTPVersion.byteCount + 1
    // §4 asks the server for the space behind the status even when there is no phrase; clients have learnt to do without.
    let isBare = code + 3 < end && bytes[code + 3] == .carriageReturn
    for index in code - 1...code + (isBare ? 2 : 3) {
      let space = index == code - 1 || index == code + 3
      guard index < end, space ? bytes[index] == .space : bytes[index].isDigit else {
        throw HTTPError(lineCode(bytes, index, end, else: .malformedStatusLine), at: index)
      }
    }
    // 1xx to 5xx; anything else is no status code (RFC 9110 §15).
    guard (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(bytes[code]) else {
      throw HTTPError(.malformedStatusLine, at: code)
    }
    let phrase = code + (isBare ? 3 : 4)
    var index = phrase
    while index < end, !bytes[index].isForbiddenControl { index += 1 }
    startLine = (
      ByteRange(start, code - 1), ByteRange(code, code + 3), ByteRange(phrase, index)
    )
    try endStartLine(bytes, at: index, to: end, else: .malformedStatusLine)
  }

  /// Only the carriage return may stand between `index` and the line feed at `end`.
  private func endStartLine(
    _ bytes: Span<UInt8>, at index: Int, to end: Int, else code: HTTPError.Code
  ) throws(HTTPError) {
    guard index < end, bytes[index] == .carriageReturn, index + 1 == end, end < bytes.count, bytes[end] == .lineFeed
    else { throw HTTPError(lineCode(bytes, index, end, else: code), at: index) }
  }

  /// Line ends in the wrong place have names of their own.
  private func lineCode(
    _ bytes: Span<UInt8>, _ index: Int, _ end: Int, else code: HTTPError.Code
  ) -> HTTPError.Code {
    guard index < bytes.count else { return code }
    if bytes[index] == .lineFeed { return .bareLineFeed }
    if bytes[index] == .carriageReturn, index + 1 < end { return .bareCarriageReturn }
    return code
  }
}
