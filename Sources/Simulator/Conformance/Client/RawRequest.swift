import Base
import Contract
import Gzip
import HTTP1
import JSON
import Upload

/// A request as bytes, for what a phone's own line would not send: other framing, other headers, pieces.
struct RawRequest {
  var method: String
  var url: String
  var headers: [NameValuePair]
  var body: [UInt8]
  var isChunked = false
  /// The body before it was compressed; nil where it was not.
  private(set) var unpackedBody: [UInt8]?
  var version = HTTPVersion.http11
  /// The declared length of the body; nil: none.
  var declaredLength: Int?

  init(_ request: OutgoingRequest) {
    method = request.method
    url = request.url
    headers = request.headers
    body = request.body
    declaredLength = body.count
  }

  init(_ method: String, _ url: String, headers: [NameValuePair] = [], body: [UInt8] = []) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    declaredLength = body.isEmpty && method != "POST" ? nil : body.count
  }

  /// A request that the dialect states is JSON, unless its headers name another type.
  init(ofDialect method: String, _ url: String, headers: [NameValuePair], body: String) {
    let isTyped = headers.contains { $0.hasName(HeaderName.contentType) }
    let type = isTyped ? [] : [NameValuePair(HeaderName.contentType, ContentType.json)]
    self.init(method, url, headers: headers + type, body: Array(body.utf8))
  }

  mutating func setHeader(_ name: String, _ value: String) {
    headers.removeAll { $0.hasName(name) }
    headers.append(NameValuePair(name, value))
  }

  mutating func pack() {
    unpackedBody = body
    body = GzipFile.pack(body)
    declaredLength = body.count
    setHeader(HeaderName.contentEncoding, "gzip")
  }

  /// The body for a reader.
  var readableBody: [UInt8] { unpackedBody ?? body }

  mutating func setHeader(_ name: StaticString, _ value: String) { setHeader(name.description, value) }

  /// The head with its empty line. Invalid parts are written, too, because the clause intends them.
  var head: [UInt8] {
    let address = TargetAddress(url)
    var text = "\(method) \(address?.path ?? "/") \(version == .http11 ? "HTTP/1.1" : "HTTP/1.0")\r\n"
    if !headers.contains(where: { $0.hasName(HeaderName.host) }) {
      text += "\(HeaderName.host): \(address?.authority ?? "")\r\n"
    }
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    var bytes = Array(text.utf8)
    if isChunked {
      HeadWriter.chunked(into: &bytes)
    } else if let declaredLength, !headers.contains(where: { $0.hasName(HeaderName.contentLength) }) {
      HeadWriter.contentLength(declaredLength, into: &bytes)
    }
    HeadWriter.end(into: &bytes)
    return bytes
  }

  /// Returns the body as sent; in chunks of that size if it is chunked.
  func framedBody(chunk: Int = 7) -> [UInt8] {
    guard isChunked else { return body }
    var bytes: [UInt8] = []
    var start = 0
    while start < body.count {
      let end = min(start + chunk, body.count)
      ChunkWriter.chunk(body.span.extracting(start..<end), into: &bytes)
      start = end
    }
    ChunkWriter.end(into: &bytes)
    return bytes
  }

  var bytes: [UInt8] { head + framedBody() }

  func isEqual(to other: RawRequest) -> Bool {
    method == other.method && url == other.url && body == other.body
  }

  /// Whether a phone's transport could send it, without framing or coding that a scenario cannot express.
  var isPlain: Bool { !isChunked && !headers.contains { $0.hasName(HeaderName.contentEncoding) } }
}

/// The host, port and path of a URL, for a plain connection.
struct TargetAddress {
  let isPlain: Bool
  let host: String
  let port: UInt16
  /// With the query.
  let path: String
  let authority: String

  init?(_ url: String) {
    let isPlain = url.hasPrefix("http://")
    guard isPlain || url.hasPrefix("https://") else { return nil }
    let rest = url.dropFirst(isPlain ? 7 : 8)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = String(rest[..<end])
    self.authority = authority
    let tail = rest[end...].prefix { $0 != "#" }
    path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    self.isPlain = isPlain
    do throws(HostAndPort.Problem) {
      let place = try HostAndPort(authority[...])
      (host, port) = (String(place.host), place.port ?? (isPlain ? 80 : 443))
    } catch { return nil }
  }
}
