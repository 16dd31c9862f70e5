import Contract
import HTTP1
import Upload

/// A request as bytes, in the words in which libcurl would have sent it.
struct LineMessage {
  /// Host and port.
  let authority: [UInt8]
  let bytes: [UInt8]

  /// Methods whose answers have bodies like that of a POST.
  private static let methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"]
  /// What libcurl reads the meaning of, when a request brings it.
  private static let meaningful = [
    "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "accept",
    "accept-encoding", "cookie",
  ]

  /// Nil for a request that is left to libcurl.
  init?(_ request: OutgoingRequest) {
    guard let url = PlainURL(request.url.utf8.span), LineMessage.methods.contains(request.method) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(384 + request.body.count)
    let text = request.url.utf8.span
    let target = text.extracting(url.target)
    let root: InlineArray<1, UInt8> = [UInt8(ascii: "/")]
    do throws(HTTPError) {
      try RequestWriter.requestLine(
        request.method.utf8.span, target.isEmpty ? root.span : target, .http11, into: &bytes)
      try HeadWriter.field("Host", text.extracting(url.authority), into: &bytes)
      HeadWriter.field("Accept", "*/*", into: &bytes)
      HeadWriter.field("Accept-Encoding", "gzip", into: &bytes)
      for field in request.headers {
        guard LineMessage.isPlain(field) else { return nil }
        try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes)
      }
    } catch { return nil }
    if request.method != "GET" || !request.body.isEmpty { HeadWriter.contentLength(request.body.count, into: &bytes) }
    HeadWriter.end(into: &bytes)
    bytes.append(contentsOf: request.body)
    authority = Array(request.url.utf8.dropFirst(url.authority.lowerBound).prefix(url.authority.count))
    self.bytes = bytes
  }

  private static func isPlain(_ field: NameValuePair) -> Bool {
    guard !field.value.isEmpty else { return false }
    return !meaningful.contains { word in
      word.utf8.count == field.name.utf8.count && zip(word.utf8, field.name.utf8).allSatisfy { $0 == $1 | 0x20 }
    }
  }
}
