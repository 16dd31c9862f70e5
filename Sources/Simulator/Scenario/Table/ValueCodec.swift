package import Base
internal import Contract
internal import JSON

/// The textual form of a type's values: its schema, how it is read, and how a default is shown.
struct ValueCodec<Value: Sendable>: Sendable {
  let schema: ValueSchema
  /// Nil after a problem was noted.
  let read: @Sendable (JSON5Value, inout DecodingContext) -> Value?
  /// Nil for a value without a short form.
  let show: @Sendable (Value) -> JSONValue?

  init(
    _ schema: ValueSchema, show: @escaping @Sendable (Value) -> JSONValue? = { _ in nil },
    read: @escaping @Sendable (JSON5Value, inout DecodingContext) -> Value?
  ) {
    self.schema = schema
    self.show = show
    self.read = read
  }

  /// Returns a codec that converts the same text; nil from `convert` means a value out of range, and `words`
  /// describes the valid ones.
  @_semantics("optimize.sil.specialize.generic.never")
  func map<Other>(
    words: String, show: @escaping @Sendable (Other) -> JSONValue? = { _ in nil },
    _ convert: @escaping @Sendable (Value) -> Other?
  ) -> ValueCodec<Other> {
    ValueCodec<Other>(schema, show: show) { value, context in
      guard let raw = read(value, &context) else { return nil }
      guard let converted = convert(raw) else {
        context.refuse(value, expected: words)
        return nil
      }
      return converted
    }
  }
}

extension ValueCodec where Value == Bool {
  static var boolean: ValueCodec {
    ValueCodec(.boolean, show: { .bool($0) }) { value, context in
      if case .bool(let flag) = value.scalar { return flag }
      context.refuse(value, expected: "true or false")
      return nil
    }
  }
}

extension JSON5Value.Content {
  /// A whole number in any of its forms, such as 10, 10.0 and 1e1.
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    case .null, .bool, .string, .array, .object: nil
    }
  }
}

extension ValueCodec where Value == Int {
  static func integer(_ range: ClosedRange<Int64>) -> ValueCodec {
    ValueCodec(.integer(range), show: { .integer(Int64($0)) }) { value, context in
      let words = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      guard let number = value.scalar.wholeNumber else {
        context.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        context.refuse(.outOfRange, value.position, "\(number) is out of range", remedy: "write \(words)")
        return nil
      }
      return Int(number)
    }
  }

  /// A number of things that cost memory.
  static var count: ValueCodec { .integer(0...10_000_000) }
}

extension ValueCodec where Value == Double {
  /// Returns a codec for a number; infinity and NaN are in no range.
  static func number(_ range: ClosedRange<Double>) -> ValueCodec {
    ValueCodec(.number(range), show: { .shortest($0) }) { value, context in
      let words = "a number from \(range.lowerBound.short) to \(range.upperBound.short)"
      let number: Double
      switch value.scalar {
      case .integer(let whole): number = Double(whole)
      case .double(let real): number = real
      case .null, .bool, .string, .array, .object:
        context.refuse(value, expected: words)
        return nil
      }
      guard range.contains(number) else {
        context.refuse(.outOfRange, value.position, "\(number.short) is out of range", remedy: "write \(words)")
        return nil
      }
      return number
    }
  }

  static var share: ValueCodec { .number(0...1) }

  static func quantity(_ measure: QuantityKind) -> ValueCodec {
    ValueCodec(.measure(measure), show: { .string(measure.text($0)) }) { value, context in
      switch value.content {
      case .string(let text):
        if let quantity = measure.read(text) { return quantity }
        guard measure.number(of: text) != nil else {
          context.refuse(value, expected: measure.expectation)
          break
        }
        let most = measure.text(measure.range.upperBound)
        context.refuse(
          .outOfRange, value.position, "\"\(text)\" is out of range",
          remedy: "write \(measure.name) of at most \(most)")
      case .integer(0): return 0
      case .integer, .double:
        context.refuse(.wrongType, value.position, "a number without unit", remedy: "write \(measure.expectation)")
      case .null, .bool, .array, .object: context.refuse(value, expected: measure.expectation)
      }
      return nil
    }
  }
}

extension ValueCodec where Value == Nanoseconds {
  static var duration: ValueCodec { span(.duration) }
  static var offset: ValueCodec { span(.offset) }

  private static func span(_ measure: QuantityKind) -> ValueCodec {
    let seconds = ValueCodec<Double>.quantity(measure)
    return ValueCodec(seconds.schema, show: { .string(measure.text($0.seconds)) }) { value, context in
      seconds.read(value, &context).map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
    }
  }
}

extension JSON5Value {
  /// The parsed content of a text from the environment; other values are returned as they are.
  var scalar: Content {
    guard isSubstituted, case .string(let text) = content else { return content }
    // An error means that the text remains a text.
    do throws(ScenarioError) { return try JSON5Reader.read(text).content } catch { return content }
  }
}

extension Double {
  /// Whole numbers without ".0", others in JSON5's notation.
  package var short: String {
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    if isNaN { return "NaN" }
    return self == rounded() && magnitude < 1e15 ? "\(Int64(self))" : "\(self)"
  }
}

extension JSONValue {
  /// Returns whole numbers as integers.
  fileprivate static func shortest(_ number: Double) -> JSONValue {
    number == number.rounded() && number.magnitude < 1e15 ? .integer(Int64(number)) : .double(number)
  }
}

extension ValueCodec where Value == String {
  /// Any non-empty text.
  static var text: ValueCodec { text(pattern: nil, words: "a text") }

  static func text(pattern: String?, words: String) -> ValueCodec {
    ValueCodec(.text(pattern: pattern, words: words), show: { .string($0) }) { value, context in
      guard case .string(let text) = value.content, !text.isEmpty else {
        context.refuse(value, expected: words)
        return nil
      }
      return text
    }
  }

  /// Returns a codec for a text that `isRight` validates like the pattern.
  static func text(pattern: String, words: String, where isRight: @escaping @Sendable (String) -> Bool) -> ValueCodec {
    text(pattern: pattern, words: words).map(words: words, show: { .string($0) }) { isRight($0) ? $0 : nil }
  }

  /// Returns a codec for a name that another section declares.
  static func name(in space: DeclaredNames.Space) -> ValueCodec {
    ValueCodec(.text(pattern: nil, words: "the name of a \(space.singular)"), show: { .string($0) }) { value, context in
      guard let name = ValueCodec.text.read(value, &context) else { return nil }
      let known = context.names.names(in: space)
      guard known.contains(name) else {
        context.refuse(.undeclared, value.position, word: name, as: space.singular, known: known)
        return nil
      }
      return name
    }
  }
}

/// An instant, and the UTC offset of the local time.
package struct ZonedInstant: Equatable, Sendable {
  package var instant: WallInstant
  package var offsetSeconds: Int
}

extension ValueCodec where Value == ZonedInstant {
  static var zonedInstant: ValueCodec {
    let words = "a date and time with its zone, as in \"2026-03-02T06:30:00+01:00\""
    let pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+([Zz]|[-+][0-9]{2}(:?[0-9]{2})?)$"
    return ValueCodec<String>.text(pattern: pattern, words: words).map(
      words: words, show: { .string($0.instant.iso8601Text) }
    ) {
      text in
      WallInstant(iso8601: Array(text.utf8).span).map {
        ZonedInstant(instant: $0, offsetSeconds: offsetSeconds(of: text))
      }
    }
  }
}

/// Returns the offset in a valid date and time, by the sign after the time of day.
private func offsetSeconds(of text: String) -> Int {
  let time = text.dropFirst("2026-03-02T".count)
  guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return 0 }
  let digits = time[time.index(after: sign)...].filter(\.isNumber)
  let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.dropFirst(2)) ?? 0)
  return (hours * 3_600 + minutes * 60) * (time[sign] == "-" ? -1 : 1)
}

extension ValueCodec where Value: RawRepresentable<String> & CaseIterable {
  /// One of a set of words.
  static var choice: ValueCodec {
    @_semantics("optimize.sil.specialize.generic.never")
    get {
      let names = Value.allCases.map(\.rawValue)
      return ValueCodec(.choice(names), show: { .string($0.rawValue) }) { value, context in
        guard case .string(let word) = value.content else {
          context.refuse(value, expected: "one of " + names.joined(separator: ", "))
          return nil
        }
        guard let chosen = Value(rawValue: word) else {
          context.refuse(.unknown, value.position, word: word, as: "value", known: names)
          return nil
        }
        return chosen
      }
    }
  }
}

extension ValueCodec {
  /// Returns a codec for an object with the keys of a table.
  @_semantics("optimize.sil.specialize.generic.never")
  static func section(_ type: Value.Type = Value.self) -> ValueCodec where Value: ScenarioSection {
    ValueCodec(.section(Value.table.schema)) { value, context in
      var tags: [String] = []
      swap(&tags, &context.readTags)
      guard case .object(let members) = value.content else {
        context.refuse(value, expected: "an object")
        return nil
      }
      return Value.table.read(members, at: value.position, besides: tags, &context)
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  static func list<Element>(
    of element: ValueCodec<Element>, count: ClosedRange<Int> = 0...100_000
  ) -> ValueCodec where Value == [Element] {
    ValueCodec(.list(element.schema, count: count), show: { $0.isEmpty ? .array([]) : nil }) { value, context in
      guard case .array(let items) = value.content else {
        context.refuse(value, expected: "a list")
        return nil
      }
      guard count.contains(items.count) else {
        let words = items.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
        context.refuse(.outOfRange, value.position, "a list of \(items.count)", remedy: "list \(words)")
        return nil
      }
      let read = items.enumerated().compactMap { index, item in
        context.inside("[\(index)]") { element.read(item, &$0) }
      }
      // A list with invalid elements is rejected as a whole.
      return read.count == items.count ? read : nil
    }
  }

  /// Returns a codec for arbitrary names, in the order of the text.
  @_semantics("optimize.sil.specialize.generic.never")
  static func map<Element>(
    of element: ValueCodec<Element>, names: [String]? = nil, what: String = "name"
  ) -> ValueCodec where Value == [Named<Element>] {
    ValueCodec(.map(element.schema, names: names), show: { $0.isEmpty ? .emptyObject : nil }) { value, context in
      guard case .object(let members) = value.content else {
        context.refuse(value, expected: "an object")
        return nil
      }
      return members.compactMap { member in
        context.inside(member.key.asPathStep) { context in
          if let names, !names.contains(member.key) {
            context.refuse(.unknown, member.position, word: member.key, as: what, known: names)
            return nil
          }
          if member.key.isEmpty {
            context.refuse(.outOfRange, member.position, "an empty name", remedy: "give it a name")
          }
          return element.read(member.value, &context).map {
            Named(name: member.key, position: member.position, value: $0)
          }
        }
      }
    }
  }

  /// Returns a codec for one of several forms, which the value itself determines.
  static func either(_ shapes: [ValueSchema], _ choose: @escaping @Sendable (JSON5Value) -> ValueCodec) -> ValueCodec {
    ValueCodec(.anyOf(shapes)) { value, context in choose(value).read(value, &context) }
  }
}

extension Table {
  /// Reads a section; `tags` are keys that were already read.
  func read(
    _ members: [JSON5Value.Member], at position: SourcePosition, besides tags: [String],
    _ context: inout DecodingContext
  ) -> Section where Section: ScenarioSection {
    var section = Section()
    for member in members where !tags.contains(member.key) {
      context.inside(member.key.asPathStep) { context in
        guard let key = keys.first(where: { $0.schema.name == member.key }) else {
          context.refuse(
            .unknown, member.position, word: member.key, as: "key", known: keys.map(\.schema.name) + tags)
          return
        }
        key.read(member.value, &section, &context)
      }
    }
    for key in keys where key.schema.isRequired && !members.contains(where: { $0.key == key.schema.name }) {
      context.refuse(
        .missing, position, "the key '\(key.schema.name)' is missing", remedy: "add it: \(key.schema.text)")
    }
    return section
  }
}

extension String {
  /// The name in the notation of `--set`: with dots or brackets in it, bracketed and quoted.
  package var asPathStep: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""): false
      default: true
      }
    }
    return isEmpty || !isPlain ? "[\"\(self)\"]" : self
  }
}
