internal import JSON

/// The kinds of rows. Each reads what JSON from the field looks like (SDK §1): booleans also as 0 and 1, numbers
/// also as numeric strings.
extension ConfigurationKey {
  typealias Property<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  static func boolean(_ name: String, _ property: Property<Bool>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "true or false") {
      .bool($0[keyPath: property])
    } write: { value, configuration in
      guard let flag = value.coercedBool else { return .wrongType }
      configuration[keyPath: property] = flag
      return nil
    }
  }

  static func number(
    _ name: String, _ property: Property<Double>, _ limits: ValueLimits = .none
  ) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "a number") {
      .number($0[keyPath: property])
    } write: { value, configuration in
      guard let number = value.coercedNumber else { return .wrongType }
      let clamped = limits.clamp(number, on: configuration.platform)
      configuration[keyPath: property] = clamped
      return clamped == number ? nil : .clamped(to: clamped)
    }
  }

  static func integer(_ name: String, _ property: Property<Int>, _ limits: ValueLimits = .none) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an integer") {
      .integer(Int64($0[keyPath: property]))
    } write: { value, configuration in
      guard let integer = value.coercedInteger else { return .wrongType }
      let number = Double(integer)
      let clamped = limits.clamp(number, on: configuration.platform)
      configuration[keyPath: property] = clamped == number ? integer : Int(clamped)
      return clamped == number ? nil : .clamped(to: clamped)
    }
  }

  static func text(_ name: String, _ property: Property<String>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "a string") {
      .string($0[keyPath: property])
    } write: { value, configuration in
      guard case .string(let text) = value else { return .wrongType }
      configuration[keyPath: property] = text
      return nil
    }
  }

  /// Null and the empty string unset the key.
  static func optionalText(_ name: String, _ property: Property<String?>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "a string or null") {
      $0[keyPath: property].map { .string($0) }
    } write: { value, configuration in
      switch value {
      case .null: configuration[keyPath: property] = nil
      case .string(let text): configuration[keyPath: property] = text.isEmpty ? nil : text
      case .bool, .integer, .double, .array, .object: return .wrongType
      }
      return nil
    }
  }

  static func list(_ name: String, _ property: Property<[String]>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an array of strings") {
      .array($0[keyPath: property].map { .string($0) })
    } write: { value, configuration in
      guard let texts = value.strings else { return .wrongType }
      configuration[keyPath: property] = texts
      return nil
    }
  }
}
