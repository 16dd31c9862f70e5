/// `CRLF "--" boundary ["--"] *( SP / HTAB ) CRLF`; the leading line end is missing at the start of a body, and the
/// closing one may end with the body.
struct PartDelimiter {
  let start: Int
  /// The first byte behind the delimiter line.
  let end: Int
  let isClosing: Bool

  /// The first delimiter at or after `start`. Linear: a boundary contains no carriage return, so no byte is compared for
  /// two candidates.
  init?(in body: Span<UInt8>, from start: Int, _ boundary: [UInt8]) {
    if start == 0, let first = PartDelimiter(in: body, at: 0, lineStart: 0, boundary) {
      self = first
      return
    }
    var index = start
    while index + 1 < body.count {
      if body[index] == .carriageReturn, body[index + 1] == .lineFeed,
        let found = PartDelimiter(in: body, at: index, lineStart: index + 2, boundary)
      {
        self = found
        return
      }
      index += 1
    }
    return nil
  }

  private init?(in body: Span<UInt8>, at start: Int, lineStart: Int, _ boundary: [UInt8]) {
    var index = lineStart + 2 + boundary.count
    guard index <= body.count, body[lineStart] == .hyphen, body[lineStart + 1] == .hyphen else { return nil }
    for offset in boundary.indices where body[lineStart + 2 + offset] != boundary[offset] { return nil }
    isClosing = index + 1 < body.count && body[index] == .hyphen && body[index + 1] == .hyphen
    if isClosing { index += 2 }
    while index < body.count, body[index].isBlank { index += 1 }
    if index == body.count, isClosing {
      end = index
    } else {
      guard index + 1 < body.count, body[index] == .carriageReturn, body[index + 1] == .lineFeed else { return nil }
      end = index + 2
    }
    self.start = start
  }
}
