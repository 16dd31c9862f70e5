import Contract
import HTTP1
import Upload

/// What the requests of a device have in common, in the words in which libcurl would have sent them: made once for as long
/// as they go to one place with the same headers.
final class LineForm {
  /// Host and port.
  let authority: [UInt8]
  private let method: String
  private let url: String
  private let headers: [NameValuePair]
  /// The head up to the length of the body.
  private let head: [UInt8]

  /// Methods whose answers have bodies like that of a POST.
  private static let methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"]
  /// What libcurl reads the meaning of, when a request brings it.
  private static let meaningful = [
    "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "accept",
    "accept-encoding", "cookie",
  ]

  /// Nil for a request that is left to libcurl.
  init?(_ request: OutgoingRequest) {
    guard let url = PlainURL(request.url.utf8.span), LineForm.methods.contains(request.method) else { return nil }
    var head: [UInt8] = []
    let text = request.url.utf8.span
    let target = text.extracting(url.target)
    let root: InlineArray<1, UInt8> = [UInt8(ascii: "/")]
    do throws(HTTPError) {
      try RequestWriter.requestLine(
        request.method.utf8.span, target.isEmpty ? root.span : target, .http11, into: &head)
      try HeadWriter.field("Host", text.extracting(url.authority), into: &head)
      HeadWriter.field("Accept", "*/*", into: &head)
      HeadWriter.field("Accept-Encoding", "gzip", into: &head)
      for field in request.headers {
        guard LineForm.isPlain(field) else { return nil }
        try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &head)
      }
    } catch { return nil }
    authority = Array(request.url.utf8.dropFirst(url.authority.lowerBound).prefix(url.authority.count))
    (method, self.url, headers, self.head) = (request.method, request.url, request.headers, head)
  }

  func fits(_ request: OutgoingRequest) -> Bool {
    request.url == url && request.method == method && request.headers == headers
  }

  /// The whole request.
  func message(of body: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.count + 64 + body.count)
    bytes += head
    if method != "GET" || !body.isEmpty { HeadWriter.contentLength(body.count, into: &bytes) }
    HeadWriter.end(into: &bytes)
    bytes += body
    return bytes
  }

  private static func isPlain(_ field: NameValuePair) -> Bool {
    guard !field.value.isEmpty else { return false }
    return !meaningful.contains { word in
      word.utf8.count == field.name.utf8.count && zip(word.utf8, field.name.utf8).allSatisfy { $0 == $1 | 0x20 }
    }
  }
}
