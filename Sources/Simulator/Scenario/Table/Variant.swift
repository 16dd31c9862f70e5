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
