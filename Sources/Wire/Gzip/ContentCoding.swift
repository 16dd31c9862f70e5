/// In what form a body comes, as its `Content-Encoding` says (RFC 9110 §8.4.1).
package enum ContentCoding: Equatable, Sendable {
  case identity
  case gzip
  /// One that is not undone here, or more than one.
  case other

  /// Of the field, or of a message that has none. `x-gzip` is another name of gzip (RFC 9110 §8.4.1.3).
  package init(_ field: String?) {
    switch field?.lowercased() {
    case nil, "", "identity": self = .identity
    case "gzip", "x-gzip": self = .gzip
    default: self = .other
    }
  }

  /// Returns the decoded content, at most `limit` bytes of a compressed body; nil in another coding. An empty body, as of an answer
  /// with 204, is empty in every coding.
  package func content(of body: [UInt8], limit: Int) throws(GzipError) -> [UInt8]? {
    switch self {
    case _ where body.isEmpty, .identity: body
    case .gzip: try GzipFile.unpack(body, limit: limit)
    case .other: nil
    }
  }
}
