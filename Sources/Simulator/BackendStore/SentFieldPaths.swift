package import Scenario

/// Where an app sends the fields of its records, when a template gives them other names than the record's own (SDK §7.5): a store
/// that keeps what comes shows them there. A key of the template that holds one field is no usual name of another.
package struct SentFieldPaths: Sendable {
  private var places: [String: [[JSONStep]]] = [:]
  /// Whose a name of one step is.
  private var owners: [String: Set<String>] = [:]

  /// Fields by the record's own names, `coords.latitude`.
  package init(_ places: [(field: String, steps: [JSONStep])]) {
    for (field, steps) in places {
      if self.places[field]?.contains(steps) != true { self.places[field, default: []].append(steps) }
      if steps.count == 1, case .member(let name)? = steps.first { owners[name, default: []].insert(field) }
    }
  }

  package func places(of field: String) -> [[JSONStep]] { places[field] ?? [] }

  /// The app sends something else under this name.
  func isTaken(_ name: String, from field: String) -> Bool {
    guard let owners = owners[name] else { return false }
    return !owners.contains { $0 == field || $0.hasPrefix(field + ".") }
  }

  /// How many of the places a value has: what was sent as a whole has most of them.
  func count(in value: StoredValue) -> Int {
    places.values.count { places in places.contains { !value.values(along: $0[...]).isEmpty } }
  }
}
