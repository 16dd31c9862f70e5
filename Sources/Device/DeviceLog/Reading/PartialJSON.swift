import JSON

/// A JSON object whose end may be missing: Android cuts a long dump of the configuration. What stands whole counts.
enum PartialJSON {
  /// Nil when not one member is whole.
  static func object(_ text: Substring) -> JSONValue? {
    if let whole = parse(text) { return whole }
    var closers: [Character] = []
    var ends: [(end: String.Index, closers: [Character])] = []
    var isInText = false
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if isInText {
        isInText = isEscaped || character != "\""
        isEscaped = character == "\\" && !isEscaped
        continue
      }
      switch character {
      case "\"": isInText = true
      case "{": closers.append("}")
      case "[": closers.append("]")
      case ",": ends.append((index, closers))
      case "}", "]":
        guard closers.popLast() == character else { return longest(of: ends, in: text) }
        let end = text.index(after: index)
        if closers.isEmpty { return parse(text[..<end]) }
        ends.append((end, closers))
      default: break
      }
      guard closers.count <= maxDepth else { return nil }
    }
    return longest(of: ends, in: text)
  }

  /// Deeper ones are no dumps of a configuration.
  private static let maxDepth = 16
  /// So many beginnings are tried; a dump that is cut needs one or two.
  private static let maxTries = 8

  /// The longest beginning that can be closed.
  private static func longest(of ends: [(end: String.Index, closers: [Character])], in text: Substring) -> JSONValue? {
    for (end, closers) in ends.suffix(maxTries).reversed() {
      if let value = parse(text[..<end] + String(closers.reversed())) { return value }
    }
    return nil
  }

  private static func parse(_ text: some StringProtocol) -> JSONValue? {
    do throws(JSONError) {
      return try JSONValue(parsing: String(text).utf8.span)
    } catch { return nil }
  }
}
