package import Base
internal import Contract
internal import JSON

/// How values of one type are written: what they look like, how they are read, and how a standard value is shown.
struct Form<Value: Sendable>: Sendable {
  let shape: Shape
  /// Nil after a problem was noted.
  let read: @Sendable (JSON5Value, inout Reading) -> Value?
  /// Nil for what has no short form.
  let show: @Sendable (Value) -> JSONValue?

  init(
    _ shape: Shape, show: @escaping @Sendable (Value) -> JSONValue? = { _ in nil },
    read: @escaping @Sendable (JSON5Value, inout Reading) -> Value?
  ) {
    self.shape = shape
    self.show = show
    self.read = read
  }

  /// The same text read as something else; nil from `convert` is a value out of range, of which `words` says what would be right.
  func map<Other>(
    words: String, show: @escaping @Sendable (Other) -> JSONValue? = { _ in nil },
    _ convert: @escaping @Sendable (Value) -> Other?
  ) -> Form<Other> {
    Form<Other>(shape, show: show) { value, reading in
      guard let raw = read(value, &reading) else { return nil }
      guard let converted = convert(raw) else {
        reading.refuse(value, expected: words)
        return nil
      }
      return converted
    }
  }
}

extension Form where Value == Bool {
  static var boolean: Form {
    Form(.boolean, show: { .bool($0) }) { value, reading in
      if case .bool(let flag) = value.scalar { return flag }
      reading.refuse(value, expected: "true or false")
      return nil
    }
  }
}

extension Form where Value == Int {
  static func integer(_ range: ClosedRange<Int64>) -> Form {
    Form(.integer(range), show: { .integer(Int64($0)) }) { value, reading in
      let words = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      guard case .integer(let number) = value.scalar else {
        reading.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        reading.refuse(.outOfRange, value.position, "\(number) is out of range", remedy: "write \(words)")
        return nil
      }
      return Int(number)
    }
  }

  /// How many there are of something that costs memory.
  static var count: Form { .integer(0...10_000_000) }
}

extension Form where Value == Double {
  /// Infinity and NaN are in no range.
  static func number(_ range: ClosedRange<Double>) -> Form {
    Form(.number(range), show: { .shortest($0) }) { value, reading in
      let words = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
      let number: Double
      switch value.scalar {
      case .integer(let whole): number = Double(whole)
      case .double(let real): number = real
      case .null, .bool, .string, .array, .object:
        reading.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        reading.refuse(.outOfRange, value.position, "\(number.short) is out of range", remedy: "write \(words)")
        return nil
      }
      return number
    }
  }

  static var share: Form { .number(0...1) }

  static func quantity(_ measure: QuantityKind) -> Form {
    Form(.measure(measure), show: { .string(measure.text($0)) }) { value, reading in
      switch value.content {
      case .string(let text):
        if let quantity = measure.read(text) { return quantity }
        reading.refuse(value, expected: measure.expectation)
      case .integer(0): return 0
      case .integer, .double:
        reading.refuse(.wrongType, value.position, "a number without unit", remedy: "write \(measure.expectation)")
      case .null, .bool, .array, .object: reading.refuse(value, expected: measure.expectation)
      }
      return nil
    }
  }
}

extension Form where Value == Nanoseconds {
  static var duration: Form { span(.duration) }
  static var offset: Form { span(.offset) }

  private static func span(_ measure: QuantityKind) -> Form {
    let seconds = Form<Double>.quantity(measure)
    return Form(seconds.shape, show: { .string(measure.text($0.seconds)) }) { value, reading in
      seconds.read(value, &reading).map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
    }
  }
}

extension JSON5Value {
  /// What a text out of the environment stands for; every other value is itself.
  var scalar: Content {
    guard isSubstituted, case .string(let text) = content else { return content }
    // No result is no mistake here: the text stays a text.
    do throws(ScenarioProblem) { return try JSON5Reader.read(text).content } catch { return content }
  }
}

extension Double {
  /// Whole numbers without ".0", and the rest as JSON5 writes it.
  var short: String {
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    if isNaN { return "NaN" }
    return self == rounded() && magnitude < 1e15 ? "\(Int64(self))" : "\(self)"
  }
}

extension JSONValue {
  /// Whole numbers as integers.
  fileprivate static func shortest(_ number: Double) -> JSONValue {
    number == number.rounded() && number.magnitude < 1e15 ? .integer(Int64(number)) : .double(number)
  }
}

extension Form where Value == String {
  /// Any text that is not empty.
  static var text: Form { text(pattern: nil, words: "a text") }

  static func text(pattern: String?, words: String) -> Form {
    Form(.text(pattern: pattern, words: words), show: { .string($0) }) { value, reading in
      guard case .string(let text) = value.content, !text.isEmpty else {
        reading.refuse(value, expected: words)
        return nil
      }
      return text
    }
  }

  /// A text that `isRight` judges as the pattern does.
  static func text(pattern: String, words: String, where isRight: @escaping @Sendable (String) -> Bool) -> Form {
    text(pattern: pattern, words: words).map(words: words, show: { .string($0) }) { isRight($0) ? $0 : nil }
  }

  /// The name of something that another section declares.
  static func name(in space: DeclaredNames.Space) -> Form {
    Form(.text(pattern: nil, words: "the name of a \(space.singular)"), show: { .string($0) }) { value, reading in
      guard let name = Form.text.read(value, &reading) else { return nil }
      let known = reading.names.names(in: space)
      guard known.contains(name) else {
        reading.refuse(.undeclared, value.position, word: name, as: space.singular, known: known)
        return nil
      }
      return name
    }
  }
}

/// An instant, and how far the clocks on the wall are ahead of UTC there.
package struct ZonedInstant: Equatable, Sendable {
  package var instant: WallInstant
  package var offsetSeconds: Int
}

extension Form where Value == ZonedInstant {
  static var zonedInstant: Form {
    let words = "a date and time with its zone, as in \"2026-03-02T06:30:00+01:00\""
    let pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+([Zz]|[-+][0-9]{2}(:?[0-9]{2})?)$"
    return Form<String>.text(pattern: pattern, words: words).map(
      words: words, show: { .string($0.instant.iso8601Text) }
    ) {
      text in
      WallInstant(iso8601: Array(text.utf8).span).map {
        ZonedInstant(instant: $0, offsetSeconds: offsetSeconds(of: text))
      }
    }
  }
}

/// Of a date and time that is one: what follows the sign behind its time of day.
private func offsetSeconds(of text: String) -> Int {
  let time = text.dropFirst("2026-03-02T".count)
  guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return 0 }
  let digits = time[time.index(after: sign)...].filter(\.isNumber)
  let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.dropFirst(2)) ?? 0)
  return (hours * 3_600 + minutes * 60) * (time[sign] == "-" ? -1 : 1)
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
  /// One of some words.
  static var choice: Form {
    let names = Value.allCases.map(\.rawValue)
    return Form(.choice(names), show: { .string($0.rawValue) }) { value, reading in
      guard case .string(let word) = value.content else {
        reading.refuse(value, expected: "one of " + names.joined(separator: ", "))
        return nil
      }
      guard let chosen = Value(rawValue: word) else {
        reading.refuse(.unknown, value.position, word: word, as: "value", known: names)
        return nil
      }
      return chosen
    }
  }
}

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
