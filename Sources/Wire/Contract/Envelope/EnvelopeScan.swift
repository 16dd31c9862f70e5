import JSON

/// One pass over a body.
struct EnvelopeScan: ~Escapable {
  private let bytes: Span<UInt8>
  let settings: EnvelopeReader
  private var reader: JSONReader
  private var unescaped: [UInt8] = []

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, _ settings: EnvelopeReader) {
    self.bytes = bytes
    self.settings = settings
    reader = JSONReader(bytes, limits: JSONLimits(isStructureOnly: true))
  }

  /// Returns nil for a body without a value.
  mutating func kind() throws(JSONError) -> JSONKind? {
    reader.isAtEnd() ? nil : try reader.peek()
  }

  mutating func finish() throws(JSONError) { try reader.finish() }

  /// Params are stored with every record of the body and are returned in answers, so they are checked completely.
  func checkParams(of envelope: Envelope) throws(JSONError) {
    for param in envelope.params {
      // Including its quotes, one byte before and after the text.
      try check(param.key.range.lowerBound - 1..<param.key.range.upperBound + 1)
      try check(param.value)
    }
  }

  private func check(_ range: Range<Int>) throws(JSONError) {
    var strict = JSONReader(bytes.extracting(range))
    do throws(JSONError) { _ = try strict.skipValue() } catch {
      throw JSONError(error.code, at: range.lowerBound + error.offset)
    }
  }

  /// Notes the members of the top-level object; returns the properties of the object itself.
  mutating func readMembers(into envelope: inout Envelope) throws(JSONError) -> ObjectFacts {
    var facts = PartialFacts()
    let start = reader.offset
    try reader.enterObject()
    while let key = try reader.nextKey() {
      let role = note(key, in: &facts)
      let kind = try reader.peek()
      let valueStart = reader.offset
      let content: EnvelopeMember.Content =
        switch kind {
        case .object: .object(try readObject(unwrapping: true))
        case .array: .array(try readArray(into: &envelope))
        case .string, .number, .true, .false, .null: try skipScalar()
        }
      envelope.members.append(EnvelopeMember(key: key, value: valueStart..<reader.offset, content: content))
      if role == .coords, case .object = kind { facts.noteCoords() }
      if role == .location, Self.isContainer(kind) { facts.object.location = location(content) }
    }
    facts.object.range = start..<reader.offset
    return facts.object
  }

  /// Reads the next array and adds its elements to the list of the envelope.
  mutating func readArray(into envelope: inout Envelope) throws(JSONError) -> ArrayFacts {
    var facts = ArrayFacts(mayBeRecord: settings.hasArrayTemplate)
    let first = envelope.elements.count
    let start = reader.offset
    try reader.enterArray()
    while try reader.nextElement() {
      let kind = try reader.peek()
      facts.note(kind)
      let element: Range<Int>
      if case .object = kind {
        let object = try readObject(unwrapping: true)
        element = object.record
        if object.isReadable { facts.hasReadableElement = true }
      } else {
        element = try reader.skipValue()
      }
      if envelope.elements.count - first <= settings.maxRecords { envelope.elements.append(element) }
    }
    facts.elements = first..<envelope.elements.count
    facts.range = start..<reader.offset
    return facts
  }

  func isRoot(_ key: JSONText) -> Bool { settings.roots.contains { isKey(key, $0) } }

  func isKey(_ key: JSONText, _ name: [UInt8]) -> Bool { reader.equals(key, name.span) }

  func isLocation(_ key: JSONText) -> Bool { reader.equals(key, EnvelopeKey.location) }

  private mutating func skipScalar() throws(JSONError) -> EnvelopeMember.Content {
    _ = try reader.skipValue()
    return .scalar
  }

  /// Latitude and longitude count only together.
  private struct PartialFacts {
    var object = ObjectFacts()
    var hasLatitude = false
    var hasLongitude = false

    mutating func noteCoords() { (object.hasCoordinates, object.hasCoords) = (true, true) }
  }

  private mutating func readObject(unwrapping: Bool) throws(JSONError) -> ObjectFacts {
    var facts = PartialFacts()
    let start = reader.offset
    try reader.enterObject()
    while let key = try reader.nextKey() {
      let role = note(key, in: &facts)
      if role != nil, case let kind = try reader.peek(), Self.isContainer(kind) {
        if role == .coords {
          if case .object = kind { facts.noteCoords() }
        } else if unwrapping {
          facts.object.location = try readLocation(kind)
          continue
        }
      }
      _ = try reader.skipValue()
    }
    facts.object.range = start..<reader.offset
    return facts.object
  }

  private mutating func readLocation(_ kind: JSONKind) throws(JSONError) -> ObjectFacts.Location {
    if case .object = kind { return Self.location(try readObject(unwrapping: false)) }
    return Self.location(array: try reader.skipValue())
  }

  private func location(_ content: EnvelopeMember.Content) -> ObjectFacts.Location? {
    switch content {
    case .scalar: nil
    case .object(let object): Self.location(object)
    case .array(let array): Self.location(array: array.range)
    }
  }

  private static func location(_ object: ObjectFacts) -> ObjectFacts.Location {
    ObjectFacts.Location(
      range: object.range, isObject: true, hasCoordinates: object.hasCoordinates, hasCoords: object.hasCoords,
      hasTime: object.hasTime, hasIdentity: object.hasIdentity)
  }

  private static func location(array range: Range<Int>) -> ObjectFacts.Location {
    ObjectFacts.Location(
      range: range, isObject: false, hasCoordinates: false, hasCoords: false, hasTime: false, hasIdentity: false)
  }

  private static func isContainer(_ kind: JSONKind) -> Bool {
    switch kind {
    case .object, .array: true
    case .string, .number, .true, .false, .null: false
    }
  }

  /// The role of a key whose value must be examined.
  private enum Role { case coords, location }

  /// Notes a key of an object.
  private mutating func note(_ key: JSONText, in facts: inout PartialFacts) -> Role? {
    let meaning: FieldTable.Meaning?
    if key.isPlain {
      meaning = settings.table.meaning(of: bytes.extracting(key.range), in: .root)
    } else {
      unescaped.removeAll(keepingCapacity: true)
      reader.append(key, to: &unescaped)
      meaning = settings.table.meaning(of: unescaped.span, in: .root)
    }
    switch meaning {
    case .object(.coords): return isLocation(key) ? .location : .coords
    case .field(.latitude, _): facts.hasLatitude = true
    case .field(.longitude, _): facts.hasLongitude = true
    case .field(.timestamp, _): facts.object.hasTime = true
    case .field(.uuid, _): facts.object.hasIdentity = true
    case .object, .field, nil: break
    }
    if facts.hasLatitude && facts.hasLongitude { facts.object.hasCoordinates = true }
    return nil
  }
}

extension EnvelopeScan {
  /// Applies the table of `EnvelopeReader` to an object whose members are noted.
  func choose(_ body: ObjectFacts, in envelope: inout Envelope) {
    if !isTemplate(envelope.members), let root = rootIndex(body, in: envelope) {
      take(root, in: &envelope)
    } else {
      envelope.shape = .bare
      envelope.records.append(body.range)
    }
  }

  /// Returns whether a template of the app has made the body.
  private func isTemplate(_ members: [EnvelopeMember]) -> Bool {
    settings.templateKeys.contains { keys in
      keys.allSatisfy { key in members.contains { isKey($0.key, key) } }
    }
  }

  /// Returns the member that contains the records; nil when the body is the record.
  private func rootIndex(_ body: ObjectFacts, in envelope: Envelope) -> Int? {
    if let index = envelope.members.lastIndex(where: { $0.isContainer && isRoot($0.key) }) { return index }
    if body.isRecordWithLocation && !body.hasCoordinates { return nil }
    if let index = envelope.members.lastIndex(where: { $0.isContainer && isLocation($0.key) }) { return index }
    if body.hasCoordinates { return nil }
    var best: (index: Int, likeness: Int)?
    for (index, member) in envelope.members.enumerated() {
      let likeness = Self.similarityToRecords(member, in: body)
      if likeness > best?.likeness ?? 0 { best = (index, likeness) }
    }
    return best?.index
  }

  /// Rates how much a member looks like records; 0 for not at all.
  private static func similarityToRecords(_ member: EnvelopeMember, in body: ObjectFacts) -> Int {
    switch member.content {
    case .scalar: return 0
    case .object(let object):
      if object.isReadable { return 6 }
      // An identity alone may be that of the upload; with a time the body is the record.
      return object.hasTime && object.hasIdentity && !(body.hasIdentity && body.hasTime) ? 4 : 0
    case .array(let array):
      if array.hasReadableElement { return 6 }
      if array.elements.isEmpty { return 1 }
      if array.isBatch { return array.firstKind == .array ? 5 : 2 }
      return array.elements.count >= 2 ? 3 : 0
    }
  }

  private func take(_ root: Int, in envelope: inout Envelope) {
    let member = envelope.members[root]
    envelope.root = member.key
    switch member.content {
    case .scalar: preconditionFailure("a root is an object or an array")
    case .object(let object):
      envelope.shape = .wrapped
      envelope.records.append(object.record)
    case .array(let array) where array.isBatch:
      envelope.shape = .wrappedBatch
      envelope.records += envelope.elements[array.elements]
    case .array(let array):
      envelope.shape = .wrapped
      envelope.records.append(array.range)
    }
    for (index, member) in envelope.members.enumerated() where index != root {
      envelope.params.append(Envelope.Param(key: member.key, value: member.value))
    }
  }
}
