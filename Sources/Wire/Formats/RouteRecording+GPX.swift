import Base

extension RouteRecording {
  /// Reads GPX 1.0 or 1.1: the points of all tracks and their segments in the order of the file, or, without tracks, those of
  /// its routes.
  package init(gpx bytes: [UInt8]) throws(RouteError) {
    var reader = try XMLReader(bytes)
    var tracks: [RoutePoint] = []
    var routes: [RoutePoint] = []
    guard let root = try reader.nextTag() else {
      throw RouteError(.endsTooEarly, at: reader.spot, "the file has no elements; a GPX file begins with <gpx>")
    }
    guard root.name == "gpx", root.kind != .closes else {
      throw RouteError(
        .malformed, at: root.spot, "the file does not begin with <gpx>; name its format if it is not GPX")
    }
    while let tag = try reader.nextTag() {
      guard tag.kind != .closes else { continue }
      switch tag.name {
      case "trkpt": tracks.append(try RouteRecording.point(tag, &reader))
      case "rtept": routes.append(try RouteRecording.point(tag, &reader))
      default: continue
      }
    }
    try self.init(points: tracks.isEmpty ? routes : tracks, end: reader.spot)
  }

  /// Reads the point of a tag that was just opened, up to its end.
  private static func point(_ tag: XMLTag, _ reader: inout XMLReader) throws(RouteError) -> RoutePoint {
    func degrees(_ name: String) throws(RouteError) -> Double {
      guard let text = tag.attribute(name), let number = RouteText.number(text) else {
        throw RouteError(
          .badNumber, at: tag.spot, "<\(tag.name)> needs the attribute \(name) with a number of degrees")
      }
      return number
    }
    let place = try RouteText.place(latitude: try degrees("lat"), longitude: try degrees("lon"), at: tag.spot)
    guard tag.kind == .opens else { return RoutePoint(place: place, at: tag.spot) }
    var elevation: Double?
    var time: WallInstant?
    let depth = reader.open.count
    while reader.open.count >= depth, let child = try reader.nextTag() {
      // Only the children of the point itself; elements nested more deeply belong to extensions.
      guard child.kind == .closes, reader.open.count == depth else { continue }
      switch child.name {
      case "time": time = try RouteText.time(reader.text[...], at: reader.textSpot)
      case "ele":
        guard let number = RouteText.number(reader.text[...]) else {
          throw RouteError(.badNumber, at: reader.textSpot, "<ele> needs a number of metres")
        }
        elevation = number
      default: continue
      }
    }
    return RoutePoint(place: place, elevation: elevation, time: time, at: tag.spot)
  }
}

/// The subset of XML 1.0 that route files use: tags with attributes and the text between them, with that of CDATA sections.
/// Comments, processing instructions and document types are skipped; entities are not resolved, because no number and no time
/// needs one.
struct XMLReader {
  private var reader: ByteReader
  /// The names of the open tags.
  private(set) var open: [String] = []
  /// The text between the last two tags read.
  private(set) var text: [UInt8] = []
  private(set) var textSpot = FileSpot.beginning

  private static let deepest = 64

  init(_ bytes: [UInt8]) throws(RouteError) { reader = try ByteReader(bytes) }

  var spot: FileSpot { reader.spot }

  /// Returns the next tag; nil at the end of the file, when no tag is open.
  mutating func nextTag() throws(RouteError) -> XMLTag? {
    text.removeAll(keepingCapacity: true)
    textSpot = reader.spot
    while true {
      let start = reader.position
      while let byte = reader.peek, byte != UInt8(ascii: "<") { _ = reader.next() }
      text += reader.bytes[start..<reader.position]
      if reader.isAtEnd { return try end() }
      if reader.startsWith("<!--") {
        try skip(until: "-->", "comment")
      } else if reader.startsWith("<![CDATA[") {
        text += try skip(until: "]]>", "CDATA section").dropFirst("<![CDATA[".utf8.count)
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
      throw RouteError(
        .malformed, at: spot, "there is text outside of any element; remove it, or name the format of the file")
    }
    return nil
  }

  /// Returns what was before the mark.
  @discardableResult
  private mutating func skip(until mark: StaticString, _ what: String) throws(RouteError) -> ArraySlice<UInt8> {
    let spot = reader.spot
    guard let skipped = reader.read(until: mark) else {
      throw RouteError(
        .endsTooEarly, at: spot, "the file ends within a \(what), which begins here; end it, or copy the whole file")
    }
    return skipped
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
        throw RouteError(
          .endsTooEarly, at: spot, "the file ends within the tag <\(name)>, which begins here; copy the whole file")
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
        throw RouteError(code, at: spot, "a > is missing after the / of <\(name)>; add it")
      }
      attributes.append(try attribute(of: name))
    }
  }

  private mutating func opened(_ name: String, at spot: FileSpot) throws(RouteError) {
    guard open.count < XMLReader.deepest else {
      throw RouteError(
        .tooDeep, at: spot, "elements are nested more than \(XMLReader.deepest) deep; no route needs that many")
    }
    open.append(name)
  }

  private mutating func close(_ name: String, at spot: FileSpot) throws(RouteError) {
    guard open.popLast() == name else {
      throw RouteError(
        .malformed, at: spot, "</\(name)> closes no element that is open here; remove it, or open <\(name)> before")
    }
  }

  private mutating func name() throws(RouteError) -> String {
    let start = reader.position
    while let byte = reader.peek, !ByteReader.isSpace(byte), !XMLReader.endsName(byte) { _ = reader.next() }
    let name = reader.bytes[start..<reader.position]
    guard !name.isEmpty else {
      let code: RouteError.Code = reader.isAtEnd ? .endsTooEarly : .malformed
      throw RouteError(code, at: spot, "a name is missing behind \"<\" or before \"=\"; write a < of a text as &lt;")
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
      throw RouteError(code, at: spot, "the attribute \(name) of <\(tag)> needs a value in quotes; write \(name)=\"…\"")
    }
    reader.skip(1)
    guard let value = reader.read(until: quote == UInt8(ascii: "\"") ? "\"" : "'") else {
      throw RouteError(
        .endsTooEarly, at: spot, "the file ends within the value of \(name); close its quotes, or copy the whole file")
    }
    return (name, value)
  }
}

/// A tag of an XML file.
struct XMLTag {
  enum Kind: Equatable { case opens, closes, standsAlone }

  let kind: Kind
  /// The name without a namespace prefix.
  let name: String
  let attributes: [(name: String, value: ArraySlice<UInt8>)]
  let spot: FileSpot

  func attribute(_ name: String) -> ArraySlice<UInt8>? { attributes.first { $0.name == name }?.value }
}

/// Reads the bytes of a route file and tracks line and column.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position = 0
  private var line = 1
  /// The offset of the current line.
  private var lineStart = 0

  /// Skips a UTF-8 byte order mark.
  init(_ bytes: [UInt8]) throws(RouteError) {
    self.bytes = bytes
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw RouteError(.unsupported, at: .beginning, "the file is in UTF-16; save it as UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  var spot: FileSpot { FileSpot(line: line, column: position - lineStart + 1) }
  var isAtEnd: Bool { position == bytes.count }
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    position += 1
    if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position) }
    return byte
  }

  func startsWith(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    return bytes[position..<position + count].elementsEqual("\(text)".utf8)
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }

  /// Skips up to an offset, unless it is behind already.
  mutating func pass(to offset: Int) { skip(max(0, offset - position)) }

  mutating func skipSpace() {
    while let byte = peek, ByteReader.isSpace(byte) { _ = next() }
  }

  /// Returns the bytes before a text and skips the text; nil when it does not occur.
  mutating func read(until text: StaticString) -> ArraySlice<UInt8>? {
    let start = position
    while !startsWith(text) {
      guard next() != nil else { return nil }
    }
    let read = bytes[start..<position]
    skip(text.utf8CodeUnitCount)
    return read
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
