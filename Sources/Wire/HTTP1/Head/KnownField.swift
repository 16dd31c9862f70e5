/// The fields that the parser notes while it reads, because framing or every server needs them.
package enum KnownField: Int, Sendable, CaseIterable {
  case host, expect, connection, contentType, authorization, contentLength, transferEncoding

  static let count = 7

  /// Told apart by length first: most field names leave after one comparison of integers.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
    let candidate: (KnownField, StaticString)
    switch end &- start {
    case 4: candidate = (.host, "host")
    case 6: candidate = (.expect, "expect")
    case 10: candidate = (.connection, "connection")
    case 12: candidate = (.contentType, "content-type")
    case 13: candidate = (.authorization, "authorization")
    case 14: candidate = (.contentLength, "content-length")
    case 17: candidate = (.transferEncoding, "transfer-encoding")
    default: return nil
    }
    guard bytes.extracting(start..<end).equals(lowercase: candidate.1) else { return nil }
    self = candidate.0
  }
}
