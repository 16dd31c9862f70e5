/// One part of a `multipart/form-data` body (RFC 7578 §4).
package struct FormPart: Sendable, Equatable {
  /// The form field.
  package let name: String
  /// What the sender calls its file. Never a path to write to.
  package let filename: String?
  /// Nil when the part has none: then it is text.
  package let contentType: MediaType?
  /// Where the content stands in the body.
  package let content: Range<Int>
}

extension FormPart {
  /// Takes a complete body apart at its boundary (RFC 2046 §5.1.1). What stands before the first delimiter line and
  /// after the closing one is ignored, as the RFC demands; a missing closing line is an error, because then the last
  /// part may be cut short. Errors count from the start of the body.
  package static func parse(
    _ body: Span<UInt8>, boundary: String, limits: HTTPLimits
  ) throws(HTTPError) -> [FormPart] {
    let boundary = Array(boundary.utf8)
    guard (1...70).contains(boundary.count), boundary.last != .space,
      boundary.allSatisfy({ ByteSet.boundary.contains($0) })
    else { throw HTTPError(.invalidMultipart, at: 0) }

    guard var delimiter = Delimiter(in: body, from: 0, boundary) else {
      throw HTTPError(.invalidMultipart, at: body.count)
    }
    var parts: [FormPart] = []
    while !delimiter.isClosing {
      if parts.count == limits.partCount { throw HTTPError(.tooManyParts, at: delimiter.end) }
      var head = PartHead()
      let content = try head.read(body, from: delimiter.end, limits: limits)
      // The line end before a delimiter belongs to the delimiter; an empty part shares it with its head.
      guard let next = Delimiter(in: body, from: content - 2, boundary) else {
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

/// `CRLF "--" boundary ["--"] *( SP / HTAB ) CRLF`; the leading line end is missing at the start of a body, and the
/// closing one may end with the body.
private struct Delimiter {
  let start: Int
  /// The first byte behind the delimiter line.
  let end: Int
  let isClosing: Bool

  /// The first delimiter at or after `start`. Linear: a boundary contains no carriage return, so no byte is compared for
  /// two candidates.
  init?(in body: Span<UInt8>, from start: Int, _ boundary: [UInt8]) {
    if start == 0, let first = Delimiter(in: body, at: 0, lineStart: 0, boundary) {
      self = first
      return
    }
    var index = start
    while index + 1 < body.count {
      if body[index] == .carriageReturn, body[index + 1] == .lineFeed,
        let found = Delimiter(in: body, at: index, lineStart: index + 2, boundary)
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
