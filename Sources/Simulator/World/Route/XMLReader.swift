/// As much of XML 1.0 as files of routes use: tags with attributes and the text between them. Comments, processing
/// instructions, CDATA marks and document types are skipped; entities are not resolved, because no number and no time
/// needs one.
struct XMLReader {
  private var reader: ByteReader
  /// The names of the tags that are open.
  private(set) var open: [String] = []
  /// What stood before the tag that was read last.
  private(set) var text: ArraySlice<UInt8> = []
  private(set) var textSpot = FileSpot.beginning

  private static let deepest = 64

  init(_ bytes: [UInt8]) throws(RouteError) { reader = try ByteReader(bytes) }

  var spot: FileSpot { reader.spot }

  /// The next tag; nil at the end of the file, when no tag is open any more.
  mutating func nextTag() throws(RouteError) -> XMLTag? {
    while true {
      let start = reader.position
      textSpot = reader.spot
      while let byte = reader.peek, byte != UInt8(ascii: "<") { _ = reader.next() }
      text = reader.bytes[start..<reader.position]
      if reader.isAtEnd { return try end() }
      if reader.startsWith("<!--") {
        try skip(until: "-->", "comment")
      } else if reader.startsWith("<![CDATA[") {
        try skip(until: "]]>", "CDATA section")
      } else if reader.startsWith("<?") {
        try skip(until: "?>", "processing instruction")
      } else if reader.startsWith("<!") {
        try skip(until: ">", "declaration")
      } else {
        return try tag()
      }
    }
  }

  private func end() throws(RouteError) -> XMLTag? {
    if let name = open.last {
      throw RouteError(
        .endsTooEarly, at: spot, "the file ends before </\(name)>; it was not copied or downloaded to its end")
    }
    guard text.allSatisfy(ByteReader.isSpace) else {
      throw RouteError(.malformed, at: spot, "there is text outside of any element; this is no GPX file")
    }
    return nil
  }

  private mutating func skip(until mark: StaticString, _ what: String) throws(RouteError) {
    let spot = reader.spot
    guard reader.read(until: mark) != nil else {
      throw RouteError(.endsTooEarly, at: spot, "the file ends within a \(what), which begins here")
    }
  }

  private mutating func tag() throws(RouteError) -> XMLTag {
    let spot = reader.spot
    reader.skip(1)
    let closes = reader.peek == UInt8(ascii: "/")
    if closes { reader.skip(1) }
    let name = try self.name()
    var attributes: [(name: String, value: ArraySlice<UInt8>)] = []
    while true {
      reader.skipSpace()
      guard let byte = reader.peek else {
        throw RouteError(.endsTooEarly, at: spot, "the file ends within the tag <\(name)>, which begins here")
      }
      if byte == UInt8(ascii: ">") {
        reader.skip(1)
        if closes { try close(name, at: spot) } else { try opened(name, at: spot) }
        return XMLTag(kind: closes ? .closes : .opens, name: name, attributes: attributes, spot: spot)
      }
      if reader.startsWith("/>") && !closes {
        reader.skip(2)
        return XMLTag(kind: .standsAlone, name: name, attributes: attributes, spot: spot)
      }
      if byte == UInt8(ascii: "/") {
        reader.skip(1)
        let code: RouteError.Code = reader.isAtEnd ? .endsTooEarly : .malformed
        throw RouteError(code, at: spot, "a > is missing behind the / of <\(name)>")
      }
      attributes.append(try attribute(of: name))
    }
  }

  private mutating func opened(_ name: String, at spot: FileSpot) throws(RouteError) {
    guard open.count < XMLReader.deepest else {
      throw RouteError(.tooDeep, at: spot, "elements are nested more than \(XMLReader.deepest) deep")
    }
    open.append(name)
  }

  private mutating func close(_ name: String, at spot: FileSpot) throws(RouteError) {
    guard open.popLast() == name else {
      throw RouteError(.malformed, at: spot, "</\(name)> closes no element that is open here")
    }
  }

  private mutating func name() throws(RouteError) -> String {
    let start = reader.position
    while let byte = reader.peek, !ByteReader.isSpace(byte), !XMLReader.endsName(byte) { _ = reader.next() }
    let name = reader.bytes[start..<reader.position]
    guard !name.isEmpty else {
      let code: RouteError.Code = reader.isAtEnd ? .endsTooEarly : .malformed
      throw RouteError(code, at: spot, "a name is missing behind \"<\" or before \"=\"")
    }
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: "\""): true
    default: false
    }
  }

  private mutating func attribute(of tag: String) throws(RouteError) -> (name: String, value: ArraySlice<UInt8>) {
    let spot = reader.spot
    let name = try self.name()
    reader.skipSpace()
    let hasValue = reader.peek == UInt8(ascii: "=")
    if hasValue { reader.skip(1) }
    reader.skipSpace()
    let quote = reader.peek
    guard hasValue, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let code: RouteError.Code = reader.isAtEnd ? .endsTooEarly : .malformed
      throw RouteError(code, at: spot, "the attribute \(name) of <\(tag)> needs a value in quotes")
    }
    reader.skip(1)
    guard let value = reader.read(until: quote == UInt8(ascii: "\"") ? "\"" : "'") else {
      throw RouteError(.endsTooEarly, at: spot, "the file ends within the value of \(name)")
    }
    return (name, value)
  }
}
