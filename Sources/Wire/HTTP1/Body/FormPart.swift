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
