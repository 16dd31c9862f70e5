/// Decodes the framing of a chunked body (RFC 9112 §7.1), one byte of framing at a time and without keeping any, so that
/// splitting the input makes no difference. Trailer fields are checked like any field and then dropped, which RFC 9110 §6.5.1
/// allows: no trailer has a meaning here, and one that replaced a field would be an attack.
struct ChunkedDecoder: Sendable {
  enum Event: Equatable { case needMoreInput, data(Range<Int>), end }

  /// The element that the next byte belongs to.
  private enum State: UInt8 {
    case sizeStart, size, blankBeforeExtension
    case blankBeforeName, name, blankAfterName, blankBeforeValue, value, quoted, quotedPair, afterValue
    case sizeLineFeed, data, dataReturn, dataLineFeed
    case trailerStart, trailerName, trailerValue, trailerLineFeed, endLineFeed, done
  }

  private var state = State.sizeStart
  private var digits = 0
  /// The size of the chunk: first the declared one, then what is left of it.
  private var size: UInt64 = 0
  private var bodyBytes = 0
  private var extensionBytes = 0
  private var trailerBytes = 0

  /// Stops after the first run of data, at the end, or when the input is used up. `offset` is that of the input's first byte in
  /// the message.
  mutating func next(
    _ input: Span<UInt8>, offset: Int, limits: HTTPLimits
  ) throws(HTTPError) -> (taken: Int, event: Event) {
    var index = 0
    while index < input.count, state != .done {
      if state == .data {
        let count = Int(min(size, UInt64(input.count - index)))
        size -= UInt64(count)
        if size == 0 { state = .dataReturn }
        return (index + count, .data(index..<index + count))
      }
      if let code = step(input[index], limits) { throw HTTPError(code, at: offset + index) }
      index += 1
    }
    return (index, state == .done ? .end : .needMoreInput)
  }

  /// Advances by one byte of framing; returns the rule that it violates, if any.
  private mutating func step(_ byte: UInt8, _ limits: HTTPLimits) -> HTTPError.Code? {
    switch state {
    case .sizeStart, .size, .blankBeforeExtension:
      return stepSize(byte, limits)
    case .blankBeforeName, .name, .blankAfterName, .blankBeforeValue, .value, .quoted, .quotedPair, .afterValue:
      return stepExtension(byte, limits)
    case .sizeLineFeed:
      return expect(.lineFeed, byte, then: size == 0 ? .trailerStart : .data, else: .bareCarriageReturn)
    case .dataReturn:
      return expect(.carriageReturn, byte, then: .dataLineFeed, else: .missingChunkEnd)
    case .dataLineFeed:
      return expect(.lineFeed, byte, then: .sizeStart, else: .missingChunkEnd)
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .endLineFeed:
      return stepTrailer(byte, limits)
    case .data, .done:
      preconditionFailure("chunk data is not framing")
    }
  }

  private mutating func expect(
    _ wanted: UInt8, _ byte: UInt8, then next: State, else code: HTTPError.Code
  ) -> HTTPError.Code? {
    guard byte == wanted else { return code }
    state = next
    return nil
  }

  private mutating func stepSize(_ byte: UInt8, _ limits: HTTPLimits) -> HTTPError.Code? {
    if state != .blankBeforeExtension, let value = byte.hexadecimalValue {
      if state == .sizeStart { (size, digits, state) = (0, 0, .size) }
      if digits == limits.chunkSizeDigits { return .chunkSizeTooLong }
      digits += 1
      size = size << 4 | UInt64(value)
      return nil
    }
    guard state != .sizeStart else { return byte == .lineFeed ? .bareLineFeed : .invalidChunkSize }
    switch byte {
    case .carriageReturn where state == .size: return endSizeLine(limits)
    // BWS must be accepted before the semicolon (§7.1.1), but has no other meaning.
    case .space, .tab: state = .blankBeforeExtension
    case .semicolon: state = .blankBeforeName
    case .lineFeed: return .bareLineFeed
    default: return .invalidChunkSize
    }
    return countExtension(limits)
  }

  private mutating func endSizeLine(_ limits: HTTPLimits) -> HTTPError.Code? {
    guard size <= UInt64(limits.bodyBytes - bodyBytes) else { return .bodyTooLarge }
    bodyBytes += Int(size)
    state = .sizeLineFeed
    return nil
  }

  private mutating func countExtension(_ limits: HTTPLimits) -> HTTPError.Code? {
    if extensionBytes == limits.chunkExtensionBytes { return .chunkExtensionsTooLarge }
    extensionBytes += 1
    return nil
  }

  /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`: read, counted, and dropped.
  private mutating func stepExtension(_ byte: UInt8, _ limits: HTTPLimits) -> HTTPError.Code? {
    let token = ByteSet.token.contains(byte)
    switch (state, byte) {
    case (.quoted, .quote): state = .afterValue
    case (.quoted, .backslash): state = .quotedPair
    case (.quoted, _) where !byte.isForbiddenControl: break
    case (.quotedPair, _) where !byte.isForbiddenControl: state = .quoted
    case (.quoted, _), (.quotedPair, _): return byte == .lineFeed ? .bareLineFeed : .invalidChunkExtension
    case (.blankBeforeName, _) where token: state = .name
    case (.blankBeforeValue, _) where token: state = .value
    case (.name, _) where token, (.value, _) where token: break
    case (.blankBeforeValue, .quote): state = .quoted
    case (.blankBeforeName, .space), (.blankBeforeName, .tab), (.blankBeforeValue, .space), (.blankBeforeValue, .tab),
      (.blankAfterName, .space), (.blankAfterName, .tab):
      break
    case (.name, .space), (.name, .tab): state = .blankAfterName
    case (.name, .equalSign), (.blankAfterName, .equalSign): state = .blankBeforeValue
    case (.value, .space), (.value, .tab), (.afterValue, .space), (.afterValue, .tab): state = .blankBeforeExtension
    case (.name, .semicolon), (.blankAfterName, .semicolon), (.value, .semicolon), (.afterValue, .semicolon):
      state = .blankBeforeName
    case (.name, .carriageReturn), (.value, .carriageReturn), (.afterValue, .carriageReturn):
      return endSizeLine(limits)
    case (_, .lineFeed): return .bareLineFeed
    default: return .invalidChunkExtension
    }
    return countExtension(limits)
  }

  private mutating func stepTrailer(_ byte: UInt8, _ limits: HTTPLimits) -> HTTPError.Code? {
    switch state {
    case .endLineFeed: return expect(.lineFeed, byte, then: .done, else: .bareCarriageReturn)
    case .trailerStart where byte == .carriageReturn: return expect(byte, byte, then: .endLineFeed, else: .truncated)
    case .trailerStart where byte.isBlank: return .foldedLine
    case .trailerStart where ByteSet.token.contains(byte): state = .trailerName
    case .trailerName where byte == .colon: state = .trailerValue
    case .trailerName where ByteSet.token.contains(byte): break
    case .trailerName where byte.isBlank: return .spaceBeforeColon
    case .trailerValue where byte == .carriageReturn: state = .trailerLineFeed
    case .trailerValue where !byte.isForbiddenControl: break
    case .trailerLineFeed where byte == .lineFeed: state = .trailerStart
    case .trailerLineFeed: return .bareCarriageReturn
    case _ where byte == .lineFeed: return .bareLineFeed
    case .trailerValue: return .invalidFieldValue
    case .trailerName where byte == .carriageReturn: return .missingColon
    default: return .invalidFieldName
    }
    if trailerBytes == limits.trailerBytes { return .trailersTooLarge }
    trailerBytes += 1
    return nil
  }
}
