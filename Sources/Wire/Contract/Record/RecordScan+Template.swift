import JSON

extension RecordScan {
  /// The template that made the record: an object has all of its keys, an array as many elements and at most an object with
  /// the extras behind them. Nil when none did; a record may be in the default schema all the same, for events that the
  /// app has no template for.
  func template(among schemas: [TemplateSchema]) throws(JSONError) -> TemplateSchema? {
    var best: TemplateSchema?
    for schema in schemas where schema.count > best?.count ?? 0 {
      let isMade =
        switch schema.root {
        case .object(let members): try hasKeys(members)
        case .array(let elements): try hasLength(elements.count)
        case .field, .ignored: false
        }
      if isMade { best = schema }
    }
    return best
  }

  private func hasKeys(_ members: [TemplateSchema.Member]) throws(JSONError) -> Bool {
    var ahead = reader
    guard case .object = try ahead.peek() else { return false }
    var found = [Bool](repeating: false, count: members.count)
    try ahead.enterObject()
    while let key = try ahead.nextKey() {
      if let index = members.firstIndex(where: { isKey(key, $0.name) }) { found[index] = true }
      _ = try ahead.skipValue()
    }
    return !found.contains(false)
  }

  private func hasLength(_ count: Int) throws(JSONError) -> Bool {
    var ahead = reader
    guard case .array = try ahead.peek() else { return false }
    var found = 0
    var endsWithObject = false
    try ahead.enterArray()
    while try ahead.nextElement() {
      if case .object = try ahead.peek() { endsWithObject = true } else { endsWithObject = false }
      _ = try ahead.skipValue()
      found += 1
    }
    return found == count || found == count + 1 && endsWithObject
  }

  /// The value that comes next, which the template put there.
  mutating func read(_ node: TemplateSchema.Node) throws(JSONError) {
    switch (node, try reader.peek()) {
    case (.field(let field), _): try readValue(of: field, .nested)
    case (.object(let members), .object):
      try reader.enterObject()
      while let key = try reader.nextKey() {
        if let member = members.first(where: { isKey(key, $0.name) }) {
          try read(member.node)
        } else {
          _ = try reader.skipValue()
        }
      }
    case (.array(let elements), .array):
      var index = 0
      try reader.enterArray()
      while try reader.nextElement() {
        if index < elements.count { try read(elements[index]) } else { _ = try reader.skipValue() }
        index += 1
      }
    default: _ = try reader.skipValue()
    }
  }

  private func isKey(_ key: JSONText, _ name: [UInt8]) -> Bool {
    var text: [UInt8] = []
    if key.isPlain && key.range.count != name.count { return false }
    reader.append(key, to: &text)
    return text == name
  }
}
