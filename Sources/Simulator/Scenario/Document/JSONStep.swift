/// A step of a path such as `$.items[*].uuid`.
package enum JSONStep: Hashable, Sendable {
  case member(String)
  case everyElement
  /// Counted from 0.
  case element(Int)

  /// Returns the steps of a path that was validated with the scenario.
  package static func steps(of path: String) -> [JSONStep] { JSONStep.parsed(path) ?? [] }

  private static let digitsMax = 4

  /// Parses `$`, followed by names after dots, `['any name']`, `[*]` for every element, and `[1]` for the second one; returns
  /// nil for an invalid path.
  static func parsed(_ path: String) -> [JSONStep]? {
    guard path.first == "$" else { return nil }
    var steps: [JSONStep] = []
    var rest = path.dropFirst()
    while let first = rest.first {
      if first == "." {
        let name = rest.dropFirst().prefix(while: JSONStep.isInName)
        guard let initial = name.first, !initial.isNumber, initial != "-" else { return nil }
        steps.append(.member(String(name)))
        rest = rest.dropFirst(1 + name.count)
      } else {
        guard first == "[", let step = JSONStep.bracketed(&rest) else { return nil }
        steps.append(step)
      }
    }
    return steps
  }

  /// Removes a bracketed step from the rest and returns it.
  private static func bracketed(_ rest: inout Substring) -> JSONStep? {
    let inner = rest.dropFirst()
    guard let initial = inner.first else { return nil }
    let text: Substring
    let step: JSONStep
    if initial == "'" || initial == "\"" {
      text = inner.dropFirst().prefix { $0 != initial }
      guard !text.isEmpty, inner.dropFirst(1 + text.count).first == initial else { return nil }
      step = .member(String(text))
      rest = inner.dropFirst(2 + text.count)
    } else {
      text = inner.prefix { $0 != "]" }
      if text == "*" {
        step = .everyElement
      } else {
        guard (1...digitsMax).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }),
          let index = Int(text)
        else { return nil }
        step = .element(index)
      }
      rest = inner.dropFirst(text.count)
    }
    guard rest.first == "]" else { return nil }
    rest = rest.dropFirst()
    return step
  }

  private static func isInName(_ letter: Character) -> Bool {
    letter == "_" || letter == "-" || (letter.isASCII && (letter.isLetter || letter.isNumber))
  }

  /// The step as written in a path.
  package var text: String {
    switch self {
    case .everyElement: return "[*]"
    case .element(let index): return "[\(index)]"
    case .member(let name):
      let isPlain = name.allSatisfy(JSONStep.isInName) && name.first.map { !$0.isNumber && $0 != "-" } ?? false
      if isPlain { return ".\(name)" }
      return name.contains("'") ? "[\"\(name)\"]" : "['\(name)']"
    }
  }

  /// Returns the path of these steps.
  package static func path(of steps: [JSONStep]) -> String { "$" + steps.map(\.text).joined() }
}
