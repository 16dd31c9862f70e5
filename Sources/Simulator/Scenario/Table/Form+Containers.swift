internal import Contract
internal import JSON

extension Form {
  /// An object with the keys of a table.
  static func section(_ type: Value.Type = Value.self) -> Form where Value: ScenarioSection {
    Form(.section(Value.table.shape)) { value, reading in
      var tags: [String] = []
      swap(&tags, &reading.readTags)
      guard case .object(let members) = value.content else {
        reading.refuse(value, expected: "an object")
        return nil
      }
      return Value.table.read(members, at: value.position, besides: tags, &reading)
    }
  }

  static func list<Element>(
    of element: Form<Element>, count: ClosedRange<Int> = 0...100_000
  ) -> Form where Value == [Element] {
    Form(.list(element.shape, count: count), show: { $0.isEmpty ? .array([]) : nil }) { value, reading in
      guard case .array(let items) = value.content else {
        reading.refuse(value, expected: "a list")
        return nil
      }
      guard count.contains(items.count) else {
        let words = items.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
        reading.refuse(.outOfRange, value.position, "a list of \(items.count)", remedy: "list \(words)")
        return nil
      }
      let read = items.enumerated().compactMap { index, item in
        reading.inside("[\(index)]") { element.read(item, &$0) }
      }
      // A shorter list would not be the one that was counted.
      return read.count == items.count ? read : nil
    }
  }

  /// Names of the author's choice, in the order of the text.
  static func map<Element>(
    of element: Form<Element>, names: [String]? = nil, what: String = "name"
  ) -> Form where Value == [Named<Element>] {
    Form(.map(element.shape, names: names), show: { $0.isEmpty ? .emptyObject : nil }) { value, reading in
      guard case .object(let members) = value.content else {
        reading.refuse(value, expected: "an object")
        return nil
      }
      return members.compactMap { member in
        reading.inside(member.key.asPathStep) { reading in
          if let names, !names.contains(member.key) {
            reading.refuse(.unknown, member.position, word: member.key, as: what, known: names)
            return nil
          }
          if member.key.isEmpty {
            reading.refuse(.outOfRange, member.position, "an empty name", remedy: "give it a name")
          }
          return element.read(member.value, &reading).map {
            Named(name: member.key, position: member.position, value: $0)
          }
        }
      }
    }
  }

  /// One of several forms among which the value itself decides.
  static func either(_ shapes: [Shape], _ choose: @escaping @Sendable (JSON5Value) -> Form) -> Form {
    Form(.anyOf(shapes)) { value, reading in choose(value).read(value, &reading) }
  }
}

extension Table {
  /// `tags` are keys that were read already.
  func read(
    _ members: [JSON5Value.Member], at position: SourcePosition, besides tags: [String], _ reading: inout Reading
  ) -> Section where Section: ScenarioSection {
    var section = Section()
    for member in members where !tags.contains(member.key) {
      reading.inside(member.key.asPathStep) { reading in
        guard let row = rows.first(where: { $0.key.name == member.key }) else {
          reading.refuse(
            .unknown, member.position, word: member.key, as: "key", known: rows.map(\.key.name) + tags)
          return
        }
        if let reason = row.key.notYet { reading.postpone(member.position, reason) }
        row.read(member.value, &section, &reading)
      }
    }
    for row in rows where row.key.isRequired && !members.contains(where: { $0.key == row.key.name }) {
      reading.refuse(
        .missing, position, "the key '\(row.key.name)' is missing", remedy: "add it: \(row.key.text)")
    }
    return section
  }
}

extension String {
  /// Names with points or brackets stand in brackets and quotes, as `--set` reads them.
  var asPathStep: String {
    isEmpty || contains { ".[]\"".contains($0) } ? "[\"\(self)\"]" : self
  }
}
