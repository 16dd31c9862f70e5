extension RequestHead {
  /// Finds the form of the target and takes it apart (RFC 9112 §3.2).
  mutating func resolveTarget() throws(HTTPError) {
    if method == .connect { throw HTTPError(.methodNotImplemented, at: methodBytes.lowerBound) }
    let target = self.target
    switch fields.bytes[target.lowerBound] {
    case .slash:
      form = .origin
      try splitPath(from: target.lowerBound)
    case UInt8(ascii: "*") where target.count == 1:
      try resolveAsterisk()
    default:
      try resolveAbsolute()
    }
  }

  /// `*` asks about the server as a whole and suits OPTIONS alone (RFC 9112 §3.2.4).
  private mutating func resolveAsterisk() throws(HTTPError) {
    guard method == .options else { throw HTTPError(.invalidTarget, at: target.lowerBound) }
    form = .asterisk
    path = target
  }

  /// `http://host[:port][/path][?query]`, as it is sent to a proxy (RFC 9112 §3.2.2).
  private mutating func resolveAbsolute() throws(HTTPError) {
    let target = self.target
    guard let start = authorityStart() else { throw HTTPError(.invalidTarget, at: target.lowerBound) }
    var end = start
    while end < target.upperBound, fields.bytes[end] != .slash, fields.bytes[end] != .question { end += 1 }
    // RFC 9110 §4.2.1: an empty host is invalid here.
    guard end > start, fields.bytes[start] != .colon else { throw HTTPError(.invalidHost, at: start) }
    let host = ByteRange(start, end)
    try checkAuthority(host)
    authority = host
    form = .absolute
    // §3.2.4: OPTIONS without a path is what a proxy writes for the asterisk.
    if end == target.upperBound, method == .options { form = .asterisk }
    try splitPath(from: end)
  }

  /// Behind `http://` or `https://`; nil for any other beginning.
  private func authorityStart() -> Int? {
    for scheme: StaticString in ["http://", "https://"] where target.count >= scheme.utf8CodeUnitCount {
      let end = target.lowerBound + scheme.utf8CodeUnitCount
      if self[ByteRange(target.lowerBound, end)].equals(lowercase: scheme) { return end }
    }
    return nil
  }

  /// `uri-host [":" port]` (RFC 3986 §3.2.2): a name or address, or something in brackets.
  func checkAuthority(_ range: ByteRange) throws(HTTPError) {
    let bytes = fields.bytes.span
    var index = range.lowerBound
    if bytes[index] == UInt8(ascii: "[") {
      index += 1
      while index < range.upperBound, ByteSet.authority.contains(bytes[index]) { index += 1 }
      guard index > range.lowerBound + 1, index < range.upperBound, bytes[index] == UInt8(ascii: "]") else {
        throw HTTPError(.invalidHost, at: index)
      }
      index += 1
    } else {
      while index < range.upperBound, bytes[index] != .colon, ByteSet.authority.contains(bytes[index]) { index += 1 }
    }
    guard index < range.upperBound else { return }
    guard bytes[index] == .colon else { throw HTTPError(.invalidHost, at: index) }
    for place in index + 1..<range.upperBound where !bytes[place].isDigit { throw HTTPError(.invalidHost, at: place) }
  }

  /// Checks every byte from `start` on and finds path, segments and query.
  private mutating func splitPath(from start: Int) throws(HTTPError) {
    let end = target.upperBound
    var index = start
    var segment = start + 1
    var escaped = false
    while index < end, fields.bytes[index] != .question {
      let byte = fields.bytes[index]
      guard ByteSet.path.contains(byte) else { throw HTTPError(.invalidTargetCharacter, at: index) }
      if byte == .percent { escaped = true }
      if byte == .slash, index > start {
        try appendSegment(segment, index, escaped: escaped)
        segment = index + 1
        escaped = false
      }
      index += 1
    }
    path = ByteRange(start, index)
    if index > start + 1 { try appendSegment(segment, index, escaped: escaped) }
    guard index < end else { return }
    query = ByteRange(index + 1, end)
    try checkQuery(from: index + 1, to: end)
  }

  private func checkQuery(from start: Int, to end: Int) throws(HTTPError) {
    let bytes = fields.bytes.span
    for index in start..<end {
      guard ByteSet.query.contains(bytes[index]) else { throw HTTPError(.invalidTargetCharacter, at: index) }
      if bytes[index] == .percent, bytes.escapedByte(at: index, end: end) == nil {
        throw HTTPError(.invalidEscape, at: index)
      }
    }
  }

  /// Decoded bytes are appended behind the head's own; a segment without escapes stays where it is.
  private mutating func appendSegment(_ start: Int, _ end: Int, escaped: Bool) throws(HTTPError) {
    guard escaped else {
      try checkDots(start, end, writtenAt: start)
      segments.append(ByteRange(start, end))
      return
    }
    let decoded = fields.bytes.count
    var index = start
    while index < end {
      var byte = fields.bytes[index]
      if byte == .percent {
        guard let value = fields.bytes.span.escapedByte(at: index, end: end) else {
          throw HTTPError(.invalidEscape, at: index)
        }
        if value < .space || value == .delete { throw HTTPError(.controlInPath, at: index) }
        byte = value
        index += 2
      }
      fields.bytes.append(byte)
      index += 1
    }
    let range = ByteRange(decoded, fields.bytes.count)
    do { _ = try UTF8Span(validating: self[range]) } catch { throw HTTPError(.pathNotUTF8, at: start) }
    try checkDots(range.lowerBound, range.upperBound, writtenAt: start)
    segments.append(range)
  }

  /// Refuses "." and "..", also between slashes that were escaped: somebody will join segments to a file name one day.
  private func checkDots(_ start: Int, _ end: Int, writtenAt place: Int) throws(HTTPError) {
    let bytes = fields.bytes.span
    var piece = start
    for index in start...end where index == end || bytes[index] == .slash {
      let length = index - piece
      if length == 1 || length == 2, bytes[piece] == .dot, bytes[index - 1] == .dot {
        throw HTTPError(.dotSegment, at: place)
      }
      piece = index + 1
    }
  }
}

extension Span<UInt8> {
  /// The byte that `%hh` at `index` stands for.
  func escapedByte(at index: Int, end: Int) -> UInt8? {
    guard index + 2 < end, let high = self[index + 1].hexadecimalValue, let low = self[index + 2].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }
}
