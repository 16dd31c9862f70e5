internal import JSON

/// One key: what it looks like, and how its value gets into the section.
struct Row<Section: Sendable>: Sendable {
  typealias Property<Value> = any WritableKeyPath<Section, Value> & Sendable

  private(set) var key: KeyShape
  let read: @Sendable (JSON5Value, inout Section, inout Reading) -> Void

  /// The rows of a part, as keys of the whole.
  func placed<Whole>(at part: any WritableKeyPath<Whole, Section> & Sendable) -> Row<Whole> {
    Row<Whole>(key: key) { value, whole, reading in read(value, &whole[keyPath: part], &reading) }
  }

  /// Understood and refused, for a reason that begins a sentence.
  func later(_ reason: String) -> Row {
    var row = self
    row.key.notYet = reason
    return row
  }
}

extension Row where Section: ScenarioSection {
  /// A key with a standard value, which is that of a new section.
  static func key<Value>(
    _ name: String, _ property: Property<Value>, _ form: Form<Value>, _ text: String
  ) -> Row {
    make(name, form, property, isRequired: false, standard: Section()[keyPath: property], text)
  }

  /// A key that must be there.
  static func required<Value>(
    _ name: String, _ property: Property<Value>, _ form: Form<Value>, _ text: String
  ) -> Row {
    make(name, form, property, isRequired: true, standard: nil, text)
  }

  /// A key that need not be there and then says nothing.
  static func optional<Value>(
    _ name: String, _ property: Property<Value?>, _ form: Form<Value>, _ text: String
  ) -> Row {
    let key = KeyShape(name: name, shape: form.shape, isRequired: false, standard: nil, text: text)
    return Row(key: key) { value, section, reading in
      if let read = form.read(value, &reading) { section[keyPath: property] = read }
    }
  }

  private static func make<Value>(
    _ name: String, _ form: Form<Value>, _ property: Property<Value>, isRequired: Bool, standard: Value?,
    _ text: String
  ) -> Row {
    let key = KeyShape(
      name: name, shape: form.shape, isRequired: isRequired, standard: standard.flatMap(form.show), text: text)
    return Row(key: key) { value, section, reading in
      if let read = form.read(value, &reading) { section[keyPath: property] = read }
    }
  }
}

extension ScenarioSection {
  /// The rows of this section as rows of another one that has it as a part.
  static func rows<Whole>(at part: any WritableKeyPath<Whole, Self> & Sendable) -> [Row<Whole>] {
    table.rows.map { $0.placed(at: part) }
  }
}

/// What a value may look like: the part of a table that schema and reference are made of.
indirect enum Shape: Sendable {
  case boolean
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  /// Any text, or one that a pattern describes; the words say it for people.
  case text(pattern: String?, words: String)
  case choice([String])
  case measure(QuantityKind)
  case list(Shape, count: ClosedRange<Int>)
  /// Names of the author's choice, or of `names` when there are any.
  case map(Shape, names: [String]?)
  case section(SectionShape)
  case variants(tag: String, standard: String?, [VariantShape])
  case anyOf([Shape])
  /// The SDK's configuration under its own names.
  case configuration
  /// Whatever the words say; the schema leaves it open.
  case open(String)
}

/// The keys of one section.
struct SectionShape: Sendable {
  /// Under which the schema defines it and the reference describes it; of one use only.
  let name: String
  let text: String
  let keys: [KeyShape]
}

/// One key of a section.
struct KeyShape: Sendable {
  let name: String
  let shape: Shape
  let isRequired: Bool
  /// What holds when the key is not there; nil when nothing does.
  let standard: JSONValue?
  let text: String
  /// Why this version cannot do it; nil when it can.
  var notYet: String?
}

/// One of several sections among which a tag decides.
struct VariantShape: Sendable {
  let name: String
  let shape: Shape
  let notYet: String?
}

/// One of several sections among which the value of a tag decides.
struct Variant<Value: Sendable>: Sendable {
  let shape: VariantShape
  let read: @Sendable (JSON5Value, inout Reading) -> Value?

  init<Section: ScenarioSection>(
    _ name: String, notYet: String? = nil, _ wrap: @escaping @Sendable (Section) -> Value
  ) {
    self.init(name, of: Form<Section>.section(), notYet: notYet, wrap)
  }

  /// A variant that has variants itself.
  init<Inner>(
    _ name: String, of form: Form<Inner>, notYet: String? = nil, _ wrap: @escaping @Sendable (Inner) -> Value
  ) {
    shape = VariantShape(name: name, shape: form.shape, notYet: notYet)
    read = { value, reading in form.read(value, &reading).map(wrap) }
  }
}

extension Form {
  /// Without the tag, `standard` is meant; nil makes the tag a must.
  static func variants(tag: String, standard: String? = nil, _ variants: [Variant<Value>]) -> Form {
    Form(.variants(tag: tag, standard: standard, variants.map(\.shape))) { value, reading in
      var tags: [String] = []
      swap(&tags, &reading.readTags)
      guard case .object = value.content else {
        reading.refuse(value, expected: "an object")
        return nil
      }
      let names = variants.map(\.shape.name)
      guard let name = tagName(tag, standard, of: value, known: names, &reading) else { return nil }
      guard let variant = variants.first(where: { $0.shape.name == name }) else {
        let position = value[tag]?.position ?? value.position
        reading.inside(tag) { $0.refuse(.unknown, position, word: name, as: tag, known: names) }
        return nil
      }
      if let reason = variant.shape.notYet { reading.postpone(value[tag]?.position ?? value.position, reason) }
      reading.readTags = tags + [tag]
      return variant.read(value, &reading)
    }
  }

  private static func tagName(
    _ tag: String, _ standard: String?, of value: JSON5Value, known: [String], _ reading: inout Reading
  ) -> String? {
    let list = known.joined(separator: ", ")
    guard let found = value[tag] else {
      if standard == nil {
        reading.refuse(.missing, value.position, "the key '\(tag)' is missing", remedy: "add it: one of \(list)")
      }
      return standard
    }
    guard case .string(let name) = found.content else {
      reading.inside(tag) { $0.refuse(found, expected: "one of \(list)") }
      return nil
    }
    return name
  }
}

/// An object of the scenario that one table describes. A new one has the standard values.
protocol ScenarioSection: Sendable {
  init()
  static var table: Table<Self> { get }
}

/// Every key of one section, once: reading, schema and reference all walk these rows.
struct Table<Section: Sendable>: Sendable {
  let name: String
  let text: String
  let rows: [Row<Section>]

  init(_ name: String, _ text: String, _ rows: [Row<Section>]) {
    self.name = name
    self.text = text
    self.rows = rows
  }

  var shape: SectionShape { SectionShape(name: name, text: text, keys: rows.map(\.key)) }
}

/// A value with the name that the scenario gives it.
package struct Named<Value: Sendable>: Sendable {
  package let name: String
  package let position: SourcePosition
  package var value: Value
}

extension Named {
  /// One that stands nowhere in the scenario.
  package init(name: String, value: Value) {
    self.init(name: name, position: SourcePosition(line: 1, column: 1), value: value)
  }
}

extension Named: Equatable where Value: Equatable {}

extension [Named<String>] {
  /// The value of a name; nil when there is none.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }
}

/// The names that sections give to their parts, so that other sections can use them; in the order of the text.
struct DeclaredNames: Sendable {
  /// A section whose members have names.
  enum Space: String, Sendable {
    case routes, motion, geofences, networks, fleets, checks

    /// One of them, in messages.
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

  /// Of the faults that have one.
  var faultNames: [String] {
    guard case .array(let faults)? = document?["faults"]?.content else { return [] }
    return faults.compactMap { fault in
      if case .string(let name)? = fault["name"]?.content { name } else { nil }
    }
  }

  /// Keys of the tags that fleets have.
  var fleetTags: [String] {
    guard case .object(let fleets)? = document?["fleets"]?.content else { return [] }
    return fleets.flatMap { $0.value["tags"]?.memberNames ?? [] }
  }
}

extension JSON5Value {
  var memberNames: [String] {
    if case .object(let members) = content { members.map(\.key) } else { [] }
  }
}
