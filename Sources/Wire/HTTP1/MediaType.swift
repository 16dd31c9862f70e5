/// A media type such as `application/json; charset=utf-8` (RFC 9110 §8.3.1), with names in lower case and values unchanged.
package struct MediaType: Sendable, Equatable {
  /// `type/subtype`.
  package let essence: String
  package let parameters: [Parameter]

  /// A `name=value` after the type.
  package struct Parameter: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// Returns the value of the first parameter with this name, which must be in lower case.
  package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Reads the value of a Content-Type field. Error offsets count from the start of `bytes`.
  package init(parsing bytes: Span<UInt8>) throws(HTTPError) {
    var scanner = ParameterScanner(bytes.count)
    let type = try scanner.token(bytes)
    try scanner.require(.slash, bytes)
    let subtype = try scanner.token(bytes)
    essence = type.lowercased() + "/" + subtype.lowercased()
    parameters = try scanner.parameters(bytes)
  }
}

/// Scans `token` and `*( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )` (RFC 9110 §5.6.6).
struct ParameterScanner {
  private var index = 0
  private let end: Int

  init(_ end: Int) { self.end = end }

  mutating func token(_ bytes: Span<UInt8>) throws(HTTPError) -> String {
    let start = index
    while index < end, ByteSet.token.contains(bytes[index]) { index += 1 }
    guard index > start, let text = String(strictUTF8: bytes.extracting(start..<index)) else {
      throw HTTPError(.invalidMediaType, at: index)
    }
    return text
  }

  mutating func require(_ byte: UInt8, _ bytes: Span<UInt8>) throws(HTTPError) {
    guard index < end, bytes[index] == byte else { throw HTTPError(.invalidMediaType, at: index) }
    index += 1
  }

  mutating func parameters(_ bytes: Span<UInt8>) throws(HTTPError) -> [MediaType.Parameter] {
    var parameters: [MediaType.Parameter] = []
    while true {
      skipBlanks(bytes)
      guard index < end else { return parameters }
      try require(.semicolon, bytes)
      skipBlanks(bytes)
      // An empty parameter, as in "text/plain;", is allowed.
      guard index < end, bytes[index] != .semicolon else { continue }
      let name = try token(bytes).lowercased()
      try require(.equalSign, bytes)
      let quoted = index < end && bytes[index] == .quote
      parameters.append(MediaType.Parameter(name: name, value: quoted ? try quotedString(bytes) : try token(bytes)))
    }
  }

  private mutating func skipBlanks(_ bytes: Span<UInt8>) {
    while index < end, bytes[index].isBlank { index += 1 }
  }

  private mutating func quotedString(_ bytes: Span<UInt8>) throws(HTTPError) -> String {
    let start = index
    index += 1
    var content: [UInt8] = []
    while index < end, bytes[index] != .quote {
      if bytes[index] == .backslash { index += 1 }
      guard index < end, !bytes[index].isForbiddenControl else { break }
      content.append(bytes[index])
      index += 1
    }
    try require(.quote, bytes)
    guard let text = String(strictUTF8: content.span) else { throw HTTPError(.invalidMediaType, at: start) }
    return text
  }
}
