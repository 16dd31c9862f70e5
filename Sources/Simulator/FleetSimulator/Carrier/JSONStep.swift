import Base
import JSON

/// One step of a path like `$.items[*].uuid`.
enum JSONStep: Equatable {
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

  /// Calls `body` with what stands at the end of the path. Gives whether the path leads anywhere: to a value, or to a list
  /// that is empty.
  @discardableResult
  static func follow(_ path: ArraySlice<JSONStep>, from value: JSONValue, _ body: (JSONValue) -> Void) -> Bool {
    switch path.first {
    case nil:
      body(value)
      return true
    case .member(let name)?:
      guard let member = value[name] else { return false }
      return follow(path.dropFirst(), from: member, body)
    case .everyElement?:
      guard case .array(let elements) = value else { return false }
      var leads = elements.isEmpty
      for element in elements where follow(path.dropFirst(), from: element, body) { leads = true }
      return leads
    }
  }
}

extension UUID128 {
  init?(member name: String, of value: JSONValue) {
    guard case .string(let text)? = value[name] else { return nil }
    self.init(text: text.utf8.span)
  }
}
