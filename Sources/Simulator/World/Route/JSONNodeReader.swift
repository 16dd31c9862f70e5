/// Reads a JSON file (RFC 8259) into nodes that know their lines. The wire has a reader of its own, which has no lines and
/// must not be known here: the world depends on nothing that has to do with records.
struct JSONNodeReader {
  private var reader: ByteReader

  private static let deepest = 64

  static func read(_ bytes: [UInt8]) throws(RouteError) -> JSONNode {
    var nodes = JSONNodeReader(reader: try ByteReader(bytes))
    let node = try nodes.node(depth: 0)
    nodes.reader.skipSpace()
    guard nodes.reader.isAtEnd else { throw nodes.malformed("nothing may follow the value of the file") }
    return node
  }

  private func malformed(_ message: String) -> RouteError {
    guard reader.isAtEnd else { return RouteError(.malformed, at: reader.spot, message) }
    return RouteError(
      .endsTooEarly, at: reader.spot, "the file ends too early; it was not copied or downloaded to its end")
  }

  private mutating func node(depth: Int) throws(RouteError) -> JSONNode {
    reader.skipSpace()
    let spot = reader.spot
    guard depth < JSONNodeReader.deepest else {
      throw RouteError(.tooDeep, at: spot, "values are nested more than \(JSONNodeReader.deepest) deep")
    }
    switch reader.peek {
    case UInt8(ascii: "{"): return JSONNode(value: .object(try members(depth: depth)), spot: spot)
    case UInt8(ascii: "["): return JSONNode(value: .array(try elements(depth: depth)), spot: spot)
    case UInt8(ascii: "\""): return JSONNode(value: .string(try string()), spot: spot)
    case UInt8(ascii: "t"): return try literal("true", at: spot)
    case UInt8(ascii: "f"): return try literal("false", at: spot)
    case UInt8(ascii: "n"): return try literal("null", at: spot)
    default: return JSONNode(value: .number(try number()), spot: spot)
    }
  }

  private mutating func members(depth: Int) throws(RouteError) -> [(key: String, node: JSONNode)] {
    reader.skip(1)
    var members: [(key: String, node: JSONNode)] = []
    reader.skipSpace()
    if take("}") { return members }
    while true {
      reader.skipSpace()
      guard reader.peek == UInt8(ascii: "\"") else { throw malformed("a member begins with its name in quotes") }
      let key = String(decoding: try string(), as: UTF8.self)
      reader.skipSpace()
      guard take(":") else { throw malformed("a colon is missing behind \"\(key)\"") }
      members.append((key, try node(depth: depth + 1)))
      reader.skipSpace()
      if take("}") { return members }
      guard take(",") else { throw malformed("a comma or } is missing behind the value of \"\(key)\"") }
    }
  }

  private mutating func elements(depth: Int) throws(RouteError) -> [JSONNode] {
    reader.skip(1)
    var elements: [JSONNode] = []
    reader.skipSpace()
    if take("]") { return elements }
    while true {
      elements.append(try node(depth: depth + 1))
      reader.skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw malformed("a comma or ] is missing behind an element") }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard reader.peek == UInt8(ascii: character) else { return false }
    reader.skip(1)
    return true
  }

  private mutating func string() throws(RouteError) -> ArraySlice<UInt8> {
    reader.skip(1)
    let start = reader.position
    while let byte = reader.next() {
      if byte == UInt8(ascii: "\"") { return reader.bytes[start..<reader.position - 1] }
      if byte < 0x20 { throw malformed("a text must end in its line") }
      if byte == UInt8(ascii: "\\") { reader.skip(1) }
    }
    throw malformed("a text has no end")
  }

  private mutating func literal(_ word: StaticString, at spot: FileSpot) throws(RouteError) -> JSONNode {
    guard reader.startsWith(word) else {
      // A word cut off by the end of the file is not a wrong word.
      if reader.bytes.count - reader.position < word.utf8CodeUnitCount { reader.skip(word.utf8CodeUnitCount) }
      throw malformed("a value is expected here")
    }
    reader.skip(word.utf8CodeUnitCount)
    return JSONNode(value: .literal, spot: spot)
  }

  private mutating func number() throws(RouteError) -> Double {
    let start = reader.position
    while let byte = reader.peek, JSONNodeReader.isOfNumber(byte) { _ = reader.next() }
    let text = reader.bytes[start..<reader.position]
    guard let first = text.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "."),
      let number = RouteText.number(text)
    else { throw malformed("a value is expected here") }
    return number
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    !ByteReader.isSpace(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]") && byte != UInt8(ascii: "}")
  }
}
