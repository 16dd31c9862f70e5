/// The header lines of one part. Only the three fields that RFC 7578 knows are allowed to mean something; the others are
/// checked and passed over (§4.8).
struct PartHead {
  private(set) var name: String?
  private(set) var filename: String?
  private(set) var contentType: MediaType?

  /// Reads lines from `start` on; where the content begins.
  mutating func read(_ body: Span<UInt8>, from start: Int, limits: HTTPLimits) throws(HTTPError) -> Int {
    var line = start
    while true {
      let bound = min(body.count, start + limits.partHeadBytes)
      guard let lineFeed = body.firstLineFeed(from: line, to: bound) else {
        throw HTTPError(bound < body.count ? .partHeadTooLarge : .invalidPartHead, at: bound)
      }
      guard lineFeed > line, body[lineFeed - 1] == .carriageReturn else {
        throw HTTPError(.invalidPartHead, at: lineFeed)
      }
      if lineFeed - line == 1 { return lineFeed + 1 }
      try readField(body, from: line, to: lineFeed - 1)
      line = lineFeed + 1
    }
  }

  private mutating func readField(_ body: Span<UInt8>, from start: Int, to end: Int) throws(HTTPError) {
    var colon = start
    while colon < end, ByteSet.token.contains(body[colon]) { colon += 1 }
    guard colon > start, colon < end, body[colon] == .colon else { throw HTTPError(.invalidPartHead, at: colon) }
    for index in colon..<end where body[index].isForbiddenControl { throw HTTPError(.invalidPartHead, at: index) }
    var valueStart = colon + 1
    while valueStart < end, body[valueStart].isBlank { valueStart += 1 }
    let value = body.extracting(valueStart..<end)
    let field = body.extracting(start..<colon)
    do throws(HTTPError) {
      if field.equals(lowercase: "content-disposition") {
        guard name == nil else { throw HTTPError(.invalidPartHead, at: 0) }
        try readDisposition(value)
      } else if field.equals(lowercase: "content-type") {
        guard contentType == nil else { throw HTTPError(.invalidPartHead, at: 0) }
        contentType = try MediaType(parsing: value)
      }
    } catch {
      throw HTTPError(.invalidPartHead, at: valueStart + error.offset)
    }
  }

  /// `form-data; name="…"; filename="…"`. Browsers write `%22`, carriage return and line feed as escapes of their own
  /// (§2 of RFC 7578) and backslashes as they are; the name is left as it was written between the quotes otherwise.
  private mutating func readDisposition(_ value: Span<UInt8>) throws(HTTPError) {
    var scanner = ParameterScanner(value.count)
    guard try scanner.token(value).lowercased() == "form-data" else { throw HTTPError(.invalidPartHead, at: 0) }
    let parameters = try scanner.parameters(value)
    for parameter in parameters where parameter.name == "name" || parameter.name == "filename" {
      guard parameters.count(where: { $0.name == parameter.name }) == 1 else {
        throw HTTPError(.invalidPartHead, at: 0)
      }
    }
    name = parameters.first { $0.name == "name" }?.value
    filename = parameters.first { $0.name == "filename" }?.value
    guard name != nil else { throw HTTPError(.invalidPartHead, at: 0) }
  }
}
