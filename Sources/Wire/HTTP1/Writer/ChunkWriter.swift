/// Appends the chunks of a body (RFC 9112 §7.1) for a message whose head said `chunked`.
package enum ChunkWriter {
  /// Nothing at all for an empty run: a chunk of size 0 would end the body.
  package static func chunk(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
    if bytes.isEmpty { return }
    out.append(hexadecimal: bytes.count)
    out.append("\r\n")
    out.append(copying: bytes)
    out.append("\r\n")
  }

  /// Ends the body; there are no trailers.
  package static func end(into out: inout [UInt8]) { out.append("0\r\n\r\n") }
}
