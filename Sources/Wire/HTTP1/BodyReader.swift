/// Extracts the content of one message by its framing; shared by requests and responses.
struct BodyReader: Sendable {
  private var framing = BodyFraming.none
  /// For a body with a length, the bytes still to come; for one that ends with the connection, the bytes still allowed.
  private var remaining = 0
  private var chunks = ChunkedDecoder()
  /// The bytes of the message so far, including the head.
  private(set) var offset = 0

  mutating func begin(_ framing: BodyFraming, offset: Int, limits: HTTPLimits) {
    self.framing = framing
    self.offset = offset
    switch framing {
    case .none: break
    case .length(let length): remaining = length
    case .chunked: chunks = ChunkedDecoder()
    case .untilClose: remaining = limits.bodyBytes
    }
  }

  mutating func next(_ input: Span<UInt8>, limits: HTTPLimits) throws(HTTPError) -> MessageStep {
    let step = try step(input, limits: limits)
    offset += step.taken
    return step
  }

  private mutating func step(_ input: Span<UInt8>, limits: HTTPLimits) throws(HTTPError) -> MessageStep {
    switch framing {
    case .none:
      return MessageStep(taken: 0, event: .end)
    case .length:
      if remaining == 0 { return MessageStep(taken: 0, event: .end) }
      if input.isEmpty { return MessageStep(taken: 0, event: .needMoreInput) }
      let count = min(remaining, input.count)
      remaining -= count
      return MessageStep(taken: count, event: .body(0..<count))
    case .chunked:
      let (taken, event) = try chunks.next(input, offset: offset, limits: limits)
      switch event {
      case .needMoreInput: return MessageStep(taken: taken, event: .needMoreInput)
      case .data(let range): return MessageStep(taken: taken, event: .body(range))
      case .end: return MessageStep(taken: taken, event: .end)
      }
    case .untilClose:
      if input.isEmpty { return MessageStep(taken: 0, event: .needMoreInput) }
      if remaining == 0 { throw HTTPError(.bodyTooLarge, at: offset) }
      let count = min(remaining, input.count)
      remaining -= count
      return MessageStep(taken: count, event: .body(0..<count))
    }
  }

  /// Whether the end of the connection completes the message.
  var mayEndHere: Bool { framing == .untilClose }
}

/// How the end of a body is determined (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
  /// No content, and no field that declares any. A handler that needs a body answers 411 to this.
  case none

  /// Exactly this many bytes; 0 was declared explicitly.
  case length(Int)

  case chunked

  /// Responses only: everything up to the end of the connection.
  case untilClose
}

extension BodyFraming {
  /// Applies the table of RFC 9112 §6.3 to a request and refuses every ambiguous case: a proxy in front of us might have
  /// interpreted it differently, and then the rest of this body is the next request.
  static func ofRequest(_ fields: HeadFields, limits: HTTPLimits) throws(HTTPError) -> BodyFraming {
    if fields.value(.transferEncoding) != nil { return try transferEncoding(fields) }  // rules 3 and 4
    if let length = try onlyLength(fields, limits: limits) { return .length(length) }  // rules 5 and 6
    return .none  // rule 7
  }

  /// Applies the same table to the response to `method`.
  static func ofResponse(
    _ fields: HeadFields, status: Int, to method: HTTPMethod, limits: HTTPLimits
  ) throws(HTTPError) -> BodyFraming {
    // Rule 1. The fields may describe the response to a GET, so they are ignored.
    if method == .head || status < 200 || status == 204 || status == 304 { return .none }
    if fields.value(.transferEncoding) != nil { return try transferEncoding(fields) }
    if let length = try sameLength(fields, limits: limits) { return .length(length) }
    return .untilClose  // rule 8
  }

  private static func transferEncoding(_ fields: HeadFields) throws(HTTPError) -> BodyFraming {
    let place = fields.value(.transferEncoding)?.lowerBound ?? 0
    // §6.1: faulty framing, "even if a Content-Length is present".
    if fields.version == .http10 { throw HTTPError(.encodingInHTTP10, at: place) }
    // Rule 3: smuggling or splitting; a server may refuse, so this one does.
    if fields.value(.contentLength) != nil { throw HTTPError(.lengthAndEncoding, at: place) }
    var chunked = false
    var foreign = false
    try fields.forEachElement(of: .transferEncoding) { (coding, offset) throws(HTTPError) in
      // Chunked once and last (§6.1, rule 4). An empty element or an invalid byte is not a coding.
      if chunked || coding.isEmpty { throw HTTPError(.invalidEncoding, at: offset) }
      for index in coding.indices where !ByteSet.token.contains(coding[index]) {
        throw HTTPError(.invalidEncoding, at: offset + index)
      }
      if coding.equals(lowercase: "chunked") { chunked = true } else { foreign = true }
    }
    if !chunked { throw HTTPError(.invalidEncoding, at: place) }
    // §6.1: a coding before chunked that is not understood: 501.
    if foreign { throw HTTPError(.unknownEncoding, at: place) }
    return .chunked
  }

  /// Accepts one length: not even a list of equal ones (rule 5 allows a server to refuse those).
  private static func onlyLength(_ fields: HeadFields, limits: HTTPLimits) throws(HTTPError) -> Int? {
    guard let range = fields.value(.contentLength) else { return nil }
    if fields.isRepeated(.contentLength) { throw HTTPError(.repeatedLength, at: range.lowerBound) }
    return try length(fields[range], at: range.lowerBound, limits)
  }

  /// Accepts a length that is written more than once, in several lines or as a list: a client processes it (rule 5).
  private static func sameLength(_ fields: HeadFields, limits: HTTPLimits) throws(HTTPError) -> Int? {
    guard let range = fields.value(.contentLength) else { return nil }
    var same: Int?
    try fields.forEachElement(of: .contentLength) { (element, offset) throws(HTTPError) in
      let length = try length(element, at: offset, limits)
      if let same, same != length { throw HTTPError(.repeatedLength, at: range.lowerBound) }
      same = length
    }
    return same
  }

  /// Accepts only digits: no sign, no inner space.
  private static func length(_ digits: Span<UInt8>, at offset: Int, _ limits: HTTPLimits) throws(HTTPError) -> Int {
    if digits.isEmpty { throw HTTPError(.invalidLength, at: offset) }
    var length = 0
    for index in digits.indices {
      guard digits[index].isDigit else { throw HTTPError(.invalidLength, at: offset + index) }
      // Above the limit the exact value does not matter, so it stops growing before it can overflow.
      if length <= limits.bodyBytes { length = length * 10 + Int(digits[index] - UInt8(ascii: "0")) }
    }
    if length > limits.bodyBytes { throw HTTPError(.bodyTooLarge, at: offset) }
    return length
  }
}
