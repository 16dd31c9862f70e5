/// What a scenario asks for and this version cannot simulate.
package struct UnsupportedScenario: Error, Equatable, Sendable {
  /// One sentence each.
  package let problems: [String]
}
