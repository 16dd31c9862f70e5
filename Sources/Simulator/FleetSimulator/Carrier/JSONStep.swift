import Base
import JSON

/// One step of a path like `$.items[*].uuid`.
enum JSONStep {
  case member(String)
  case everyElement

  /// Of a path that the scenario has accepted.
  static func steps(of path: String) -> [JSONStep] {
    var steps: [JSONStep] = []
    var rest = path.dropFirst()
    while let first = rest.first {
      if first == "[" {
        steps.append(.everyElement)
        rest = rest.dropFirst(3)
      } else {
        let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
        steps.append(.member(String(name)))
        rest = rest.dropFirst(1 + name.count)
      }
    }
    return steps
  }

  static func follow(_ path: ArraySlice<JSONStep>, from value: JSONValue, _ body: (JSONValue) -> Void) {
    switch path.first {
    case nil: body(value)
    case .member(let name)?:
      if let member = value[name] { follow(path.dropFirst(), from: member, body) }
    case .everyElement?:
      if case .array(let elements) = value {
        for element in elements { follow(path.dropFirst(), from: element, body) }
      }
    }
  }
}

extension UUID128 {
  init?(member name: String, of value: JSONValue) {
    guard case .string(let text)? = value[name] else { return nil }
    self.init(text: text.utf8.span)
  }
}
