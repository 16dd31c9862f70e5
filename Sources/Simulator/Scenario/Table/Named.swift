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
