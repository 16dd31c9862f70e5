/// One step of a path like `$.items[*].uuid`.
package enum JSONStep: Equatable, Sendable {
  case member(String)
  case everyElement
  /// Counted from 0.
  case element(Int)

  /// Of a path that the scenario has accepted.
  package static func steps(of path: String) -> [JSONStep] {
    var steps: [JSONStep] = []
    var rest = path.dropFirst()
    while let first = rest.first {
      if first == "[" {
        let index = rest.dropFirst().prefix { $0 != "]" }
        steps.append(Int(index).map(JSONStep.element) ?? .everyElement)
        rest = rest.dropFirst(2 + index.count)
      } else {
        let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
        steps.append(.member(String(name)))
        rest = rest.dropFirst(1 + name.count)
      }
    }
    return steps
  }
}
