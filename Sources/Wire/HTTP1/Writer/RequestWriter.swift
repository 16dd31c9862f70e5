/// Appends the start of a request; the fields follow with `HeadWriter`. The caller writes Host.
package enum RequestWriter {
  /// `POST /locations HTTP/1.1`. `target` is written as it is: escaping is done by whoever builds it, and
  /// `invalidTargetCharacter` says that it was not.
  package static func requestLine(
    _ method: HTTPMethod, _ target: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    precondition(method != .other, "a method needs a name")
    try requestLine(
      unsafe UnsafeBufferPointer(start: method.name.utf8Start, count: method.name.utf8CodeUnitCount).span,
      target, .http11, into: &out)
  }

  /// The same for any method and either version.
  package static func requestLine(
    _ method: Span<UInt8>, _ target: Span<UInt8>, _ version: HTTPVersion, into out: inout [UInt8]
  ) throws(HTTPError) {
    guard !method.isEmpty, !target.isEmpty else { throw HTTPError(.malformedRequestLine, at: 0) }
    for index in method.indices where !ByteSet.token.contains(method[index]) {
      throw HTTPError(.malformedRequestLine, at: index)
    }
    for index in target.indices where !(ByteSet.query.contains(target[index])) {
      throw HTTPError(.invalidTargetCharacter, at: index)
    }
    out.append(copying: method)
    out.append(" ")
    out.append(copying: target)
    out.append(version == .http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n")
  }
}
