internal import JSON

/// A key: its schema, and how its value is stored in the section.
///
/// Tables are read once in a run. The functions that make and read their rows are not specialized for each of a hundred value
/// types, which took the compiler longer than the rest of the language (docs/decisions/0036).
struct Key<Section: Sendable>: Sendable {
  typealias Property<Value> = any WritableKeyPath<Section, Value> & Sendable

  let schema: KeySchema
  let read: @Sendable (JSON5Value, inout Section, inout DecodingContext) -> Void

  /// Returns the key of a part as a key of the whole.
  @_semantics("optimize.sil.specialize.generic.never")
  func placed<Whole>(at part: any WritableKeyPath<Whole, Section> & Sendable) -> Key<Whole> {
    Key<Whole>(schema: schema) { value, whole, context in read(value, &whole[keyPath: part], &context) }
  }
}

extension Key where Section: ScenarioSection {
  /// Returns a key with a default value, which is that of a new section.
  @_semantics("optimize.sil.specialize.generic.never")
  static func key<Value>(
    _ name: String, _ property: Property<Value>, _ codec: ValueCodec<Value>, _ text: String
  ) -> Key {
    make(name, codec, property, isRequired: false, standard: Section()[keyPath: property], text)
  }

  /// Returns a required key.
  @_semantics("optimize.sil.specialize.generic.never")
  static func required<Value>(
    _ name: String, _ property: Property<Value>, _ codec: ValueCodec<Value>, _ text: String
  ) -> Key {
    make(name, codec, property, isRequired: true, standard: nil, text)
  }

  /// Returns an optional key without a default.
  @_semantics("optimize.sil.specialize.generic.never")
  static func optional<Value>(
    _ name: String, _ property: Property<Value?>, _ codec: ValueCodec<Value>, _ text: String
  ) -> Key {
    let schema = KeySchema(name: name, schema: codec.schema, isRequired: false, standard: nil, text: text)
    return Key(schema: schema) { value, section, context in
      if let read = codec.read(value, &context) { section[keyPath: property] = read }
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private static func make<Value>(
    _ name: String, _ codec: ValueCodec<Value>, _ property: Property<Value>, isRequired: Bool, standard: Value?,
    _ text: String
  ) -> Key {
    let schema = KeySchema(
      name: name, schema: codec.schema, isRequired: isRequired, standard: standard.flatMap(codec.show), text: text)
    return Key(schema: schema) { value, section, context in
      if let read = codec.read(value, &context) { section[keyPath: property] = read }
    }
  }
}

extension ScenarioSection {
  /// Returns the keys of this section as keys of a section that contains it.
  static func keys<Whole>(at part: any WritableKeyPath<Whole, Self> & Sendable) -> [Key<Whole>] {
    table.keys.map { $0.placed(at: part) }
  }
}

/// The form of a value, from which schema and reference are made.
indirect enum ValueSchema: Sendable {
  case boolean
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  /// Any text, or one that matches a pattern; `words` describes it for people.
  case text(pattern: String?, words: String)
  case choice([String])
  case measure(QuantityKind)
  case list(ValueSchema, count: ClosedRange<Int>)
  /// Arbitrary names, or those in `names` if given.
  case map(ValueSchema, names: [String]?)
  case section(SectionSchema)
  case variants(tag: String, standard: String?, [VariantSchema])
  case anyOf([ValueSchema])
  /// The SDK's configuration under its own names.
  case configuration
  /// Described by the words only; the schema leaves it open.
  case open(String)
}

/// The keys of one section.
struct SectionSchema: Sendable {
  /// The name of its definition in the schema and in the reference; used once.
  let name: String
  let text: String
  let keys: [KeySchema]
}

/// One key of a section.
struct KeySchema: Sendable {
  let name: String
  let schema: ValueSchema
  let isRequired: Bool
  /// The default; nil without one.
  let standard: JSONValue?
  let text: String
}

/// Several sections, of which a tag selects one.
struct VariantSchema: Sendable {
  let name: String
  let schema: ValueSchema
}

/// A section that the value of a tag selects.
struct Variant<Value: Sendable>: Sendable {
  let schema: VariantSchema
  let read: @Sendable (JSON5Value, inout DecodingContext) -> Value?

  init<Section: ScenarioSection>(
    _ name: String, _ wrap: @escaping @Sendable (Section) -> Value
  ) {
    self.init(name, of: ValueCodec<Section>.section(), wrap)
  }

  /// A variant with variants of its own.
  @_semantics("optimize.sil.specialize.generic.never")
  init<Inner>(
    _ name: String, of codec: ValueCodec<Inner>, _ wrap: @escaping @Sendable (Inner) -> Value
  ) {
    schema = VariantSchema(name: name, schema: codec.schema)
    read = { value, context in codec.read(value, &context).map(wrap) }
  }
}

extension ValueCodec {
  /// Returns a codec for the variants. Without the tag, `standard` is used; nil makes the tag required.
  @_semantics("optimize.sil.specialize.generic.never")
  static func variants(tag: String, standard: String? = nil, _ variants: [Variant<Value>]) -> ValueCodec {
    ValueCodec(.variants(tag: tag, standard: standard, variants.map(\.schema))) { value, context in
      var tags: [String] = []
      swap(&tags, &context.readTags)
      guard case .object = value.content else {
        context.refuse(value, expected: "an object")
        return nil
      }
      let names = variants.map(\.schema.name)
      guard let name = tagName(tag, standard, of: value, known: names, &context) else { return nil }
      guard let variant = variants.first(where: { $0.schema.name == name }) else {
        let position = value[tag]?.position ?? value.position
        context.inside(tag) { $0.refuse(.unknown, position, word: name, as: tag, known: names) }
        return nil
      }
      context.readTags = tags + [tag]
      return variant.read(value, &context)
    }
  }

  private static func tagName(
    _ tag: String, _ standard: String?, of value: JSON5Value, known: [String], _ context: inout DecodingContext
  ) -> String? {
    let list = known.joined(separator: ", ")
    guard let found = value[tag] else {
      if standard == nil {
        context.refuse(.missing, value.position, "the key '\(tag)' is missing", remedy: "add it: one of \(list)")
      }
      return standard
    }
    guard case .string(let name) = found.content else {
      context.inside(tag) { $0.refuse(found, expected: "one of \(list)") }
      return nil
    }
    return name
  }
}

/// An object of the scenario that one table describes. A new one has the default values.
protocol ScenarioSection: Sendable {
  init()
  static var table: Table<Self> { get }
}

/// The keys of a section, from which reading, schema and reference are derived.
struct Table<Section: Sendable>: Sendable {
  let name: String
  let text: String
  let keys: [Key<Section>]

  init(_ name: String, _ text: String, _ keys: [Key<Section>]) {
    self.name = name
    self.text = text
    self.keys = keys
  }

  var schema: SectionSchema { SectionSchema(name: name, text: text, keys: keys.map(\.schema)) }
}

/// A value with its name in the scenario.
package struct Named<Value: Sendable>: Sendable {
  package let name: String
  package let position: SourcePosition
  package var value: Value
}

extension Named {
  /// A value without a position in the scenario.
  package init(name: String, value: Value) {
    self.init(name: name, position: SourcePosition(line: 1, column: 1), value: value)
  }
}

extension Named: Equatable where Value: Equatable {}

extension [Named<String>] {
  /// Returns the value of a name; nil without one.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }

  /// Returns header fields overridden by others; names are case-insensitive (RFC 9110 §5.1).
  package func overlaid(_ others: [Named<String>]) -> [Named<String>] {
    filter { field in !others.contains { $0.name.lowercased() == field.name.lowercased() } } + others
  }
}

/// The names that sections declare, for use in other sections; in the order of the text.
struct DeclaredNames: Sendable {
  /// A section with named members.
  enum Space: String, Sendable {
    case routes, motion, geofences, networks, fleets, checks

    /// The singular, for messages.
    var singular: String {
      switch self {
      case .routes: "route"
      case .motion: "motion"
      case .geofences: "set of geofences"
      case .networks: "network"
      case .fleets: "fleet"
      case .checks: "check"
      }
    }
  }

  private let document: JSON5Value?

  init(in document: JSON5Value?) { self.document = document }

  func names(in space: Space) -> [String] {
    let declared = document?[space.rawValue]?.memberNames ?? []
    let presets: [String] =
      switch space {
      case .networks: Network.presetNames
      case .motion: MotionPreset.names
      case .routes, .geofences, .fleets, .checks: []
      }
    return declared + presets.filter { !declared.contains($0) }
  }

  /// The names of the faults that have one.
  var faultNames: [String] {
    guard case .array(let faults)? = document?["faults"]?.content else { return [] }
    return faults.compactMap { fault in
      if case .string(let name)? = fault["name"]?.content { name } else { nil }
    }
  }

  /// The keys of fleet tags.
  var fleetTags: [String] {
    guard case .object(let fleets)? = document?["fleets"]?.content else { return [] }
    return fleets.flatMap { $0.value["tags"]?.memberNames ?? [] }
  }

  /// Returns the values of a fleet tag.
  func values(ofFleetTag tag: String) -> [String] {
    guard case .object(let fleets)? = document?["fleets"]?.content else { return [] }
    return fleets.compactMap { fleet in
      if case .string(let value)? = fleet.value["tags"]?[tag]?.content { value } else { nil }
    }
  }
}

extension JSON5Value {
  var memberNames: [String] {
    if case .object(let members) = content { members.map(\.key) } else { [] }
  }
}
