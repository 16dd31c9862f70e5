/// One part of a `multipart/form-data` body (RFC 7578 §4).
package struct FormPart: Sendable, Equatable {
  /// The name of the form field.
  package let name: String
  /// The sender's name of the file. Never a path to write to.
  package let filename: String?
  /// The media type; nil when the part has none, which means text.
  package let contentType: MediaType?
  /// The range of the content in the body.
  package let content: Range<Int>
}

extension FormPart {
  /// Splits a complete body at its boundary (RFC 2046 §5.1.1). Bytes before the first delimiter line and after the closing one
  /// are ignored, as the RFC demands; a missing closing line is an error, because then the last part may be truncated. Error
  /// offsets count from the start of the body.
  package static func parse(
    _ body: Span<UInt8>, boundary: String, limits: HTTPLimits
  ) throws(HTTPError) -> [FormPart] {
    let boundary = Array(boundary.utf8)
    guard (1...70).contains(boundary.count), boundary.last != .space,
      boundary.allSatisfy({ ByteSet.boundary.contains($0) })
    else { throw HTTPError(.invalidMultipart, at: 0) }

    guard var delimiter = PartDelimiter(in: body, from: 0, boundary) else {
      throw HTTPError(.invalidMultipart, at: body.count)
    }
    var parts: [FormPart] = []
    while !delimiter.isClosing {
      if parts.count == limits.partCount { throw HTTPError(.tooManyParts, at: delimiter.end) }
      var head = PartHead()
      let content = try head.read(body, from: delimiter.end, limits: limits)
      // The line end before a delimiter belongs to the delimiter; an empty part shares it with its head.
      guard let next = PartDelimiter(in: body, from: content - 2, boundary) else {
        throw HTTPError(.invalidMultipart, at: body.count)
      }
      guard let name = head.name else { throw HTTPError(.invalidPartHead, at: delimiter.end) }
      parts.append(
        FormPart(
          name: name, filename: head.filename, contentType: head.contentType,
          content: content..<max(content, next.start)))
      delimiter = next
    }
    return parts
  }
}

/// `CRLF "--" boundary ["--"] *( SP / HTAB ) CRLF`; the leading line end is absent at the start of a body, and the closing one
/// may be the end of the body.
struct PartDelimiter {
  let start: Int
  /// The first byte after the delimiter line.
  let end: Int
  let isClosing: Bool

  /// Finds the first delimiter at or after `start`. Linear: a boundary contains no carriage return, so no byte is compared for
  /// two candidates.
  init?(in body: Span<UInt8>, from start: Int, _ boundary: [UInt8]) {
    if start == 0, let first = PartDelimiter(in: body, at: 0, lineStart: 0, boundary) {
      self = first
      return
    }
    var index = start
    while index + 1 < body.count {
      if body[index] == .carriageReturn, body[index + 1] == .lineFeed,
        let found = PartDelimiter(in: body, at: index, lineStart: index + 2, boundary)
      {
        self = found
        return
      }
      index += 1
    }
    return nil
  }

  private init?(in body: Span<UInt8>, at start: Int, lineStart: Int, _ boundary: [UInt8]) {
    var index = lineStart + 2 + boundary.count
    guard index <= body.count, body[lineStart] == .hyphen, body[lineStart + 1] == .hyphen else { return nil }
    for offset in boundary.indices where body[lineStart + 2 + offset] != boundary[offset] { return nil }
    isClosing = index + 1 < body.count && body[index] == .hyphen && body[index + 1] == .hyphen
    if isClosing { index += 2 }
    while index < body.count, body[index].isBlank { index += 1 }
    if index == body.count, isClosing {
      end = index
    } else {
      guard index + 1 < body.count, body[index] == .carriageReturn, body[index + 1] == .lineFeed else { return nil }
      end = index + 2
    }
    self.start = start
  }
}

/// The header lines of one part. Only the three fields of RFC 7578 are interpreted; the others are checked and skipped (§4.8).
struct PartHead {
  private(set) var name: String?
  private(set) var filename: String?
  private(set) var contentType: MediaType?

  /// Reads lines from `start` and returns where the content begins.
  mutating func read(_ body: Span<UInt8>, from start: Int, limits: HTTPLimits) throws(HTTPError) -> Int {
    var line = start
    while true {
      let bound = min(body.count, start + limits.partHeadBytes)
      guard let lineFeed = body.firstLineFeed(from: line, to: bound) else {
        throw HTTPError(bound < body.count ? .partHeadTooLarge : .invalidPartHead, at: bound)
      }
      guard lineFeed > line, body[lineFeed - 1] == .carriageReturn else {
        throw HTTPError(.invalidPartHead, at: lineFeed)
      }
      if lineFeed - line == 1 { return lineFeed + 1 }
      try readField(body, from: line, to: lineFeed - 1)
      line = lineFeed + 1
    }
  }

  private mutating func readField(_ body: Span<UInt8>, from start: Int, to end: Int) throws(HTTPError) {
    var colon = start
    while colon < end, ByteSet.token.contains(body[colon]) { colon += 1 }
    guard colon > start, colon < end, body[colon] == .colon else { throw HTTPError(.invalidPartHead, at: colon) }
    for index in colon..<end where body[index].isForbiddenControl { throw HTTPError(.invalidPartHead, at: index) }
    var valueStart = colon + 1
    while valueStart < end, body[valueStart].isBlank { valueStart += 1 }
    let value = body.extracting(valueStart..<end)
    let field = body.extracting(start..<colon)
    do throws(HTTPError) {
      if field.equals(lowercase: "content-disposition") {
        guard name == nil else { throw HTTPError(.invalidPartHead, at: 0) }
        try readDisposition(value)
      } else if field.equals(lowercase: "content-type") {
        guard contentType == nil else { throw HTTPError(.invalidPartHead, at: 0) }
        contentType = try MediaType(parsing: value)
      }
    } catch {
      throw HTTPError(.invalidPartHead, at: valueStart + error.offset)
    }
  }

  /// Reads `form-data; name="…"; filename="…"`. Browsers write `%22`, carriage return and line feed as their own escapes (§2 of
  /// RFC 7578) and backslashes unescaped; otherwise the name is kept as written between the quotes.
  private mutating func readDisposition(_ value: Span<UInt8>) throws(HTTPError) {
    var scanner = ParameterScanner(value.count)
    guard try scanner.token(value).lowercased() == "form-data" else { throw HTTPError(.invalidPartHead, at: 0) }
    let parameters = try scanner.parameters(value)
    for parameter in parameters where parameter.name == "name" || parameter.name == "filename" {
      guard parameters.count(where: { $0.name == parameter.name }) == 1 else {
        throw HTTPError(.invalidPartHead, at: 0)
      }
    }
    name = parameters.first { $0.name == "name" }?.value
    filename = parameters.first { $0.name == "filename" }?.value
    guard name != nil else { throw HTTPError(.invalidPartHead, at: 0) }
  }
}
