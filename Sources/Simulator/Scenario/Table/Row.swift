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
