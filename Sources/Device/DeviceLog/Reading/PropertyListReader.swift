import JSON

/// Reads the old text form of property lists, in which iOS logs dictionaries: `{ key = value; … }`, `( value, … )`,
/// texts with or without quotes. Numbers and flags remain texts or become integers; the configuration coerces them.
struct PropertyListReader {
  private var rest: Substring.UTF8View

  /// Nil when the text is not one complete value.
  static func read(_ text: Substring) -> JSONValue? {
    var reader = PropertyListReader(rest: text.utf8)
    return reader.value(depth: 0)
  }

  /// Configuration dumps are less deep.
  private static let maxDepth = 16

  private mutating func value(depth: Int) -> JSONValue? {
    skipSpace()
    guard depth < Self.maxDepth, let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "("): return array(depth: depth)
    default: return text().map(Self.scalar)
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    rest.removeFirst()
    var object = JSONObject()
    while true {
      skipSpace()
      if take("}") { return .object(object) }
      guard let key = text() else { return nil }
      skipSpace()
      guard take("="), let value = value(depth: depth + 1) else { return nil }
      skipSpace()
      guard take(";") else { return nil }
      object[key] = value
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    rest.removeFirst()
    var elements: [JSONValue] = []
    skipSpace()
    if take(")") { return .array([]) }
    while let element = value(depth: depth + 1) {
      elements.append(element)
      skipSpace()
      if take(")") { return .array(elements) }
      guard take(",") else { return nil }
    }
    return nil
  }

  private mutating func text() -> String? {
    guard take("\"") else {
      let plain = rest.prefix { !" \n\t;,=(){}\"".utf8.contains($0) }
      rest = rest.dropFirst(plain.count)
      return plain.isEmpty ? nil : String(Substring(plain))
    }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        bytes.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
      } else {
        bytes.append(byte)
      }
    }
    return nil
  }

  private static func scalar(_ text: String) -> JSONValue {
    if text == "<null>" { return .null }
    if let number = Int64(text) { return .integer(number) }
    if let number = Double(text), number.isFinite { return .double(number) }
    return .string(text)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
  }
}

/// A JSON object whose end may be missing: Android truncates a long dump of the configuration. Complete members are kept.
enum PartialJSON {
  /// Nil when no member is complete.
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

  /// Configuration dumps are less deep.
  private static let maxDepth = 16
  /// The number of prefixes to try; a truncated dump needs one or two.
  private static let maxTries = 8

  /// Returns the longest prefix that can be closed.
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
