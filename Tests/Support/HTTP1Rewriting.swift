import HTTP1

/// Writes an accepted request with the module's own writers.
package enum HTTP1Rewriting {
  /// False when a writer refuses.
  package static func append(_ message: HTTP1Transcript.Message, to out: inout [UInt8]) -> Bool {
    do throws(HTTPError) {
      let version: HTTPVersion = message.startLine[2].last == UInt8(ascii: "0") ? .http10 : .http11
      let method = message.startLine[0]
      let target = message.startLine[1]
      try RequestWriter.requestLine(method.span, target.span, version, into: &out)
      for field in message.fields { try HeadWriter.field(field.name.span, field.value.span, into: &out) }
      HeadWriter.end(into: &out)
    } catch { return false }
    if message.framing == .chunked {
      ChunkWriter.chunk(message.body.span, into: &out)
      ChunkWriter.end(into: &out)
    } else {
      out += message.body
    }
    return true
  }
}
