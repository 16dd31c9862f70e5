/// The steps from a document to one of its values.
package struct DocumentPath: Equatable, Sendable {
  /// Into an object, or into a list.
  package enum Step: Equatable, Sendable {
    case key(String)
    case index(Int)
  }

  package let steps: [Step]

  /// From the outermost on.
  package init(_ steps: [Step]) { self.steps = steps }

  /// As overrides have it; nil for what is no path.
  package init?(_ text: String) {
    var steps: [Step] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      if rest.first == "[" {
        guard let step = DocumentPath.bracketed(&rest) else { return nil }
        steps.append(step)
      } else {
        if !steps.isEmpty {
          guard rest.first == "." else { return nil }
          rest = rest.dropFirst()
        }
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        steps.append(.key(String(name)))
        rest = rest.dropFirst(name.count)
      }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }

  /// `[0]` or `["a.b"]`.
  private static func bracketed(_ rest: inout Substring) -> Step? {
    if rest.hasPrefix("[\"") {
      let name = rest.dropFirst(2).prefix { $0 != "\"" }
      let end = rest.dropFirst(2 + name.count)
      guard end.hasPrefix("\"]") else { return nil }
      rest = end.dropFirst(2)
      return .key(String(name))
    }
    let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let index = Int(digits), rest.dropFirst(1 + digits.count).first == "]" else { return nil }
    rest = rest.dropFirst(2 + digits.count)
    return .index(index)
  }
}
