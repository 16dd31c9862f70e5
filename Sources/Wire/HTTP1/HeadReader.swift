/// Collects one head from any number of pieces.
///
/// A line is checked when its line feed has arrived, or when the limit is exceeded without one, never earlier. So the verdict,
/// and the offset it names, do not depend on how the input was split. A head that is complete in the input is read there and
/// copied once. For a head in pieces the reader keeps the bytes and how far they are checked: every byte is searched for a line
/// feed once, checked at most twice, and read once more when the head is complete.
struct HeadReader: Sendable {
  enum Kind: Sendable { case request, response }

  let kind: Kind
  /// The bytes of an incomplete head. Empty between messages: an idle connection owns no memory for this.
  private var pending: [UInt8] = []
  private var progress = Progress()

  /// The progress of checking the lines of a head.
  private struct Progress: Sendable {
    /// The offset of the first unchecked line.
    var line = 0
    /// Bytes of empty lines before the start line.
    var leading = 0
    var fieldCount = 0
    var pastStartLine = false
    /// Whether a line of a response goes on with the one after it.
    var hasFolds = false
  }

  init(_ kind: Kind) { self.kind = kind }

  /// Whether a head has begun and is not complete.
  var isInside: Bool { !pending.isEmpty }
  /// The number of bytes of the incomplete head.
  var pendingCount: Int { pending.count }

  /// Consumes the bytes of the head. When it is complete, `fields` contains it; before that its content is undefined.
  mutating func read(
    _ input: Span<UInt8>, into fields: inout HeadFields, limits: HTTPLimits
  ) throws(HTTPError) -> (taken: Int, complete: Bool) {
    guard pending.isEmpty else { return try resume(input, into: &fields, limits: limits) }
    fields.clear()
    if let end = try judge(input, into: &fields, limits) {
      fields.store(input.extracting(0..<end))
      if progress.hasFolds { fields.unfold() }
      progress = Progress()
      return (end, true)
    }
    pending.append(copying: input)
    return (input.count, false)
  }

  private mutating func resume(
    _ input: Span<UInt8>, into fields: inout HeadFields, limits: HTTPLimits
  ) throws(HTTPError) -> (taken: Int, complete: Bool) {
    // One byte above the limit is enough for the verdict; bytes after the head in this input are not kept.
    let known = pending.count
    let kept = min(input.count, progress.leading + limits.headBytes + limits.leadingEmptyLines * 2 + 1 - known)
    var bytes: [UInt8] = []
    swap(&bytes, &pending)
    bytes.append(copying: input.extracting(0..<kept))
    guard bytes.count > bound(limits) || bytes.span.firstLineFeed(from: known, to: bytes.count) != nil else {
      pending = bytes
      return (kept, false)
    }
    let resumed = progress.line > 0
    fields.clear()
    guard var end = try judge(bytes.span, into: &fields, limits) else {
      pending = bytes
      return (kept, false)
    }
    if resumed {
      progress = Progress()
      fields.clear()
      end = try judge(bytes.span, into: &fields, limits) ?? end
    }
    bytes.removeLast(bytes.count - end)
    fields.bytes = bytes
    if progress.hasFolds { fields.unfold() }
    progress = Progress()
    return (end - known, true)
  }

  /// Returns the offset at which the current line must have ended.
  private func bound(_ limits: HTTPLimits) -> Int {
    let isRequestLine = kind == .request && !progress.pastStartLine
    return progress.leading + (isRequestLine ? limits.requestLineBytes : limits.headBytes)
  }

  /// Checks the complete lines from `progress.line`; returns the end of the head when its empty line is among them.
  private mutating func judge(
    _ bytes: Span<UInt8>, into fields: inout HeadFields, _ limits: HTTPLimits
  ) throws(HTTPError) -> Int? {
    if !progress.pastStartLine {
      try skipEmptyLines(bytes, limits)
      let start = progress.line
      let end = min(bytes.count, bound(limits))
      let lineFeed = bytes.firstLineFeed(from: start, to: end)
      // An overlong line is checked as far as the limit; something in it is wrong.
      guard lineFeed != nil || bytes.count > end else { return nil }
      switch kind {
      case .request: try fields.readRequestLine(bytes, from: start, to: lineFeed ?? end, limits: limits)
      case .response: try fields.readStatusLine(bytes, from: start, to: lineFeed ?? end)
      }
      progress.line = (lineFeed ?? end) + 1
      progress.pastStartLine = true
    }
    return try judgeFields(bytes, into: &fields, limits)
  }

  /// Skips empty lines. A server should ignore an empty line or two before a request (RFC 9112 §2.2); a client must not.
  private mutating func skipEmptyLines(_ bytes: Span<UInt8>, _ limits: HTTPLimits) throws(HTTPError) {
    guard kind == .request else { return }
    while progress.line + 1 < bytes.count, bytes[progress.line] == .carriageReturn,
      bytes[progress.line + 1] == .lineFeed
    {
      if progress.leading == 2 * limits.leadingEmptyLines {
        throw HTTPError(.tooManyEmptyLines, at: progress.line)
      }
      progress.line += 2
      progress.leading += 2
    }
  }

  /// The hot loop of the module: one pass over name, colon and value of every line.
  private mutating func judgeFields(
    _ bytes: Span<UInt8>, into fields: inout HeadFields, _ limits: HTTPLimits
  ) throws(HTTPError) -> Int? {
    let end = min(bytes.count, bound(limits))
    var line = progress.line
    defer { progress.line = line }
    while line < end {
      if let next = nextLine(bytes, after: line, to: end) { return next }
      if bytes[line] == .carriageReturn, line + 1 == end { break }
      if bytes[line].isBlank, kind == .response, progress.fieldCount > 0 {
        guard let next = try judgeFold(bytes, at: line, to: end, into: &fields) else { break }
        line = next
        continue
      }
      var index = bytes.firstNonToken(from: line, to: end)
      guard index < end else { break }
      guard bytes[index] == .colon, index > line else {
        guard bytes.firstLineFeed(from: index, to: end) != nil else { break }
        throw HTTPError(refusal(bytes, line: line, at: index, pastColon: false), at: index)
      }
      let nameEnd = index
      index &+= 1
      while index < end, bytes[index].isBlank { index &+= 1 }
      let valueStart = index
      index = bytes.firstControl(from: index, to: end)
      while index < end, bytes[index] == .tab { index = bytes.firstControl(from: index &+ 1, to: end) }
      guard index < end else { break }
      guard let next = nextLine(bytes, after: index, to: end) else {
        guard bytes.firstLineFeed(from: index, to: end) != nil else { break }
        throw HTTPError(refusal(bytes, line: line, at: index, pastColon: true), at: index)
      }
      if progress.fieldCount == limits.fieldCount { throw HTTPError(.tooManyFields, at: line) }
      progress.fieldCount += 1
      var valueEnd = index
      while valueEnd > valueStart, bytes[valueEnd &- 1].isBlank { valueEnd &-= 1 }
      fields.append(
        HeadField(name: ByteRange(line, nameEnd), value: ByteRange(valueStart, valueEnd)),
        known: KnownField(bytes, line, nameEnd))
      line = next
    }
    if bytes.count > end { throw HTTPError(.headTooLarge, at: end) }
    return nil
  }

  /// Checks a line that continues the value before it, and returns the offset of the next one. A client reads such a response
  /// (RFC 9112 §5.2), though no server may send one.
  private mutating func judgeFold(
    _ bytes: Span<UInt8>, at line: Int, to end: Int, into fields: inout HeadFields
  ) throws(HTTPError) -> Int? {
    var index = bytes.firstControl(from: line, to: end)
    while index < end, bytes[index] == .tab { index = bytes.firstControl(from: index + 1, to: end) }
    guard index < end else { return nil }
    guard let next = nextLine(bytes, after: index, to: end) else {
      guard bytes.firstLineFeed(from: index, to: end) != nil else { return nil }
      throw HTTPError(refusal(bytes, line: line, at: index, pastColon: true), at: index)
    }
    fields.extendLast(with: line..<index, of: bytes)
    progress.hasFolds = true
    return next
  }

  /// Returns the offset behind the line end at `index`; nil if there is none. Clients read a response whose lines end with a line
  /// feed alone (RFC 9112 §2.2), though no server may send one.
  @inline(__always)
  private func nextLine(_ bytes: Span<UInt8>, after index: Int, to end: Int) -> Int? {
    if bytes[index] == .carriageReturn {
      return index &+ 1 < end && bytes[index &+ 1] == .lineFeed ? index &+ 2 : nil
    }
    return kind == .response && bytes[index] == .lineFeed ? index &+ 1 : nil
  }

  /// Returns the error of the field line at `index`. Its line feed is known to follow, at `index` or later.
  private func refusal(_ bytes: Span<UInt8>, line: Int, at index: Int, pastColon: Bool) -> HTTPError.Code {
    switch bytes[index] {
    case .lineFeed: kind == .response ? .missingColon : .bareLineFeed
    case .carriageReturn where bytes[index + 1] != .lineFeed: .bareCarriageReturn
    case _ where pastColon: .invalidFieldValue
    case .carriageReturn: .missingColon
    case .space, .tab: index == line ? .foldedLine : .spaceBeforeColon
    default: .invalidFieldName
    }
  }
}
