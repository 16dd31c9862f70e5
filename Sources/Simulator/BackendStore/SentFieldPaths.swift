package import Scenario

/// The places where an app sends the fields of its records, if a template renames them (SDK §7.5): a store that keeps records
/// unmodified has them there. A template key for one field is not an alias of another.
package struct SentFieldPaths: Sendable {
  private var places: [String: [[JSONStep]]] = [:]
  /// The fields that use a top-level name.
  private var owners: [String: Set<String>] = [:]

  /// `field` is the record's own name, as in `coords.latitude`.
  package init(_ places: [(field: String, steps: [JSONStep])]) {
    for (field, steps) in places {
      if self.places[field]?.contains(steps) != true { self.places[field, default: []].append(steps) }
      if steps.count == 1, case .member(let name)? = steps.first { owners[name, default: []].insert(field) }
    }
  }

  package func places(of field: String) -> [[JSONStep]] { places[field] ?? [] }

  /// Reports whether the app sends another field under this name.
  func isTaken(_ name: String, from field: String) -> Bool {
    guard let owners = owners[name] else { return false }
    return !owners.contains { $0 == field || $0.hasPrefix(field + ".") }
  }

  /// Returns the number of places that a value has; a complete record has most of them.
  func count(in value: StoredValue) -> Int {
    places.values.count { places in places.contains { !value.values(along: $0[...]).isEmpty } }
  }
}
