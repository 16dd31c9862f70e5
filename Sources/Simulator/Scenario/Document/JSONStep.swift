/// A step of a path such as `$.items[*].uuid`.
package enum JSONStep: Hashable, Sendable {
  case member(String)
  case everyElement
  /// Counted from 0.
  case element(Int)
  /// The number, divided by this one.
  case quotient(Int)
  /// The time, which has no zone, in UTC.
  case utc

  /// Returns the steps of a path that was validated with the scenario.
  package static func steps(of path: String) -> [JSONStep] { parsed(path, converts: true) ?? [] }

  private static let digitsMax = 4

  /// Parses `$`, followed by names after dots, `['any name']`, `[*]` for every element, and `[1]` for the second one; returns
  /// nil for an invalid path. `converts`: at the end there may be ` / 100`, or ` in UTC`.
  static func parsed(_ path: String, converts: Bool = false) -> [JSONStep]? {
    guard path.first == "$" else { return nil }
    var steps: [JSONStep] = []
    var rest = path.dropFirst()
    while let first = rest.first {
      if first == "." {
        let name = rest.dropFirst().prefix(while: JSONStep.isInName)
        guard let initial = name.first, !initial.isNumber, initial != "-" else { return nil }
        steps.append(.member(String(name)))
        rest = rest.dropFirst(1 + name.count)
      } else if converts, let conversion = JSONStep.conversion(rest) {
        return steps + [conversion]
      } else {
        guard first == "[", let step = JSONStep.bracketed(&rest) else { return nil }
        steps.append(step)
      }
    }
    return steps
  }

  /// Returns the conversion at the end of a path.
  private static func conversion(_ text: Substring) -> JSONStep? {
    if text == JSONStep.utc.text { return .utc }
    let sign = " / "
    let digits = text.dropFirst(sign.count)
    guard text.hasPrefix(sign), digits.first != "0", 1...10 ~= digits.utf8.count,
      digits.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return Int(digits).map(JSONStep.quotient)
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
    case .quotient(let divisor): return " / \(divisor)"
    case .utc: return " in UTC"
    case .member(let name):
      let isPlain = name.allSatisfy(JSONStep.isInName) && name.first.map { !$0.isNumber && $0 != "-" } ?? false
      if isPlain { return ".\(name)" }
      return name.contains("'") ? "[\"\(name)\"]" : "['\(name)']"
    }
  }

  /// Returns the path of these steps.
  package static func path(of steps: [JSONStep]) -> String { "$" + steps.map(\.text).joined() }
}
