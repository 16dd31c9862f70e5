/// Appends the lines of a head. Text that did not come from our own source code is checked, so that no value can end its
/// line and begin a field or a message of its own; on an error nothing has been appended.
///
/// One framing field must be written for a message with content: `contentLength` or `chunked`.
package enum HeadWriter {
  /// A field whose name and value are constants of the program.
  package static func field(_ name: StaticString, _ value: StaticString, into out: inout [UInt8]) {
    out.append(name)
    out.append(": ")
    out.append(value)
    out.append("\r\n")
  }

  package static func field(_ name: StaticString, _ number: Int, into out: inout [UInt8]) {
    out.append(name)
    out.append(": ")
    out.append(decimal: number)
    out.append("\r\n")
  }

  /// A field whose value came from elsewhere: `invalidFieldValue` when it holds a control character.
  package static func field(
    _ name: StaticString, _ value: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    try checkValue(value)
    out.append(name)
    out.append(": ")
    out.append(copying: value)
    out.append("\r\n")
  }

  /// A field of which both halves came from elsewhere; `invalidFieldName` when the name is not a token.
  package static func field(
    _ name: Span<UInt8>, _ value: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    guard !name.isEmpty else { throw HTTPError(.invalidFieldName, at: 0) }
    for index in name.indices where !ByteSet.token.contains(name[index]) {
      throw HTTPError(.invalidFieldName, at: index)
    }
    try checkValue(value)
    out.append(copying: name)
    out.append(": ")
    out.append(copying: value)
    out.append("\r\n")
  }

  package static func contentLength(_ length: Int, into out: inout [UInt8]) {
    precondition(length >= 0, "a length is not negative")
    field("Content-Length", length, into: &out)
  }

  package static func chunked(into out: inout [UInt8]) { field("Transfer-Encoding", "chunked", into: &out) }

  /// The empty line.
  package static func end(into out: inout [UInt8]) { out.append("\r\n") }

  private static func checkValue(_ value: Span<UInt8>) throws(HTTPError) {
    for index in value.indices where value[index].isForbiddenControl { throw HTTPError(.invalidFieldValue, at: index) }
  }
}
