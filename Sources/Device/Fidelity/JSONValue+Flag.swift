import JSON

extension JSONValue {
  /// A flag of a dump of the configuration: iOS writes 1 and 0.
  func flag(_ key: String) -> Bool? {
    guard case .object(let members) = self else { return nil }
    switch members[key] {
    case .bool(let flag): return flag
    case .integer(let number): return number != 0
    default: return nil
    }
  }
}
