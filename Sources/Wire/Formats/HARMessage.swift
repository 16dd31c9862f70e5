import Base
package import Contract
import JSON

/// The request of a client.
package struct HARRequest: Sendable {
  package var method: String
  /// Absolute, without a fragment.
  package var url: String
  package var version: String
  package var fields: [NameValuePair]
  /// The body as sent; empty if there is none, or it is unknown.
  package var body: [UInt8]
  /// The size of the complete body if `body` is not complete.
  package var bodySize: Int?
  /// The size of the request line and the fields, including the empty line.
  package var headSize: Int?
  /// Why the body is missing or incomplete.
  package var bodyComment: String?

  package init(
    method: String, url: String, version: String = "HTTP/1.1", fields: [NameValuePair], body: [UInt8] = [],
    bodySize: Int? = nil, headSize: Int? = nil, bodyComment: String? = nil
  ) {
    self.method = method
    self.url = url
    self.version = version
    self.fields = fields
    self.body = body
    self.bodySize = bodySize
    self.headSize = headSize
    self.bodyComment = bodyComment
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("method", method)
    writer.text("url", url)
    writer.text("httpVersion", version)
    writer.pairs("cookies", fields.filter { $0.hasName(HeaderName.cookie) }.flatMap { Self.cookies($0.value) })
    writer.pairs("headers", fields)
    writer.pairs("queryString", Self.query(of: url))
    let size = bodySize ?? body.count
    if size > 0 || bodyComment != nil {
      writer.key("postData")
      writer.beginObject()
      writer.text("mimeType", fields.first { $0.hasName(HeaderName.contentType) }?.value ?? "application/octet-stream")
      let text = String(decoding: body, as: UTF8.self)
      writer.text("text", text)
      // The format cannot express a body that is not text; without this member its bytes would be lost.
      if !text.utf8.elementsEqual(body) { writer.text("_base64", Base64.text(body)) }
      if let bodyComment { writer.text("comment", bodyComment) }
      writer.endObject()
    }
    writer.number("headersSize", headSize)
    writer.number("bodySize", size)
    writer.endObject()
  }

  private static func cookies(_ value: String) -> [NameValuePair] {
    value.split(separator: ";").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0].drop { $0 == " " })
      return NameValuePair(name, parts.count == 2 ? String(parts[1]) : "")
    }
  }

  /// Parts that cannot be decoded are left as sent.
  private static func query(of url: String) -> [NameValuePair] {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return url[mark...].dropFirst().split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
      return NameValuePair(parts[0], parts.count == 2 ? parts[1] : "")
    }
  }

  private static func decoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        // It would read a sign, too.
        bytes[index + 1] != UInt8(ascii: "+"), bytes[index + 1] != UInt8(ascii: "-"),
        let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        plain.append(byte)
        index += 3
      } else {
        plain.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
        index += 1
      }
    }
    let decoded = String(decoding: plain, as: UTF8.self)
    return decoded.utf8.elementsEqual(plain) ? decoded : String(text)
  }
}

/// The answer of a server.
package struct HARResponse: Sendable {
  /// 0 when there was no answer.
  package var status: Int
  package var reason: String
  package var version: String
  package var fields: [NameValuePair]
  /// The body as sent; empty if there is none, or it is unknown.
  package var body: [UInt8]
  /// The size of the complete body if `body` is not complete.
  package var bodySize: Int?
  /// The size of the status line and the fields, including the empty line.
  package var headSize: Int?
  /// Set when the fields do not specify it.
  package var mediaType: String?
  /// Why the body is missing or incomplete.
  package var bodyComment: String?

  package init(
    status: Int, reason: String, version: String = "HTTP/1.1", fields: [NameValuePair] = [], body: [UInt8] = [],
    bodySize: Int? = nil, headSize: Int? = nil, mediaType: String? = nil, bodyComment: String? = nil
  ) {
    self.status = status
    self.reason = reason
    self.version = version
    self.fields = fields
    self.body = body
    self.bodySize = bodySize
    self.headSize = headSize
    self.mediaType = mediaType
    self.bodyComment = bodyComment
  }

  func write(to writer: inout JSONWriter) {
    let size = bodySize ?? body.count
    writer.beginObject()
    writer.key("status")
    writer.value(status)
    writer.text("statusText", reason)
    writer.text("httpVersion", version)
    writer.pairs("cookies", fields.filter { $0.hasName(HeaderName.setCookie) }.compactMap { Self.cookie($0.value) })
    writer.pairs("headers", fields)
    writer.key("content")
    writer.beginObject()
    writer.number("size", size)
    writer.text(
      "mimeType", fields.first { $0.hasName(HeaderName.contentType) }?.value ?? mediaType ?? "x-unknown")
    let text = String(decoding: body, as: UTF8.self)
    if text.utf8.elementsEqual(body) {
      if !body.isEmpty { writer.text("text", text) }
    } else {
      writer.text("text", Base64.text(body))
      writer.text("encoding", "base64")
    }
    if let bodyComment { writer.text("comment", bodyComment) }
    writer.endObject()
    writer.text("redirectURL", fields.first { $0.hasName(HeaderName.location) }?.value ?? "")
    writer.number("headersSize", headSize)
    writer.number("bodySize", size)
    writer.endObject()
  }

  /// Returns name and value; the attributes are in the field itself.
  private static func cookie(_ value: String) -> NameValuePair? {
    guard let pair = value.split(separator: ";").first, let mark = pair.firstIndex(of: "=") else { return nil }
    return NameValuePair(String(pair[..<mark]), String(pair[mark...].dropFirst()))
  }
}

extension JSONWriter {
  mutating func text(_ name: String, _ text: String) {
    key(name)
    value(text)
  }

  /// Writes -1 for nil.
  fileprivate mutating func number(_ name: StaticString, _ number: Int?) {
    key(name)
    value(number ?? -1)
  }

  fileprivate mutating func pairs(_ name: StaticString, _ pairs: [NameValuePair]) {
    key(name)
    beginArray()
    for pair in pairs {
      beginObject()
      text("name", pair.name)
      text("value", pair.value)
      endObject()
    }
    endArray()
  }
}
