/// A path to values in a JSON text: `$.coords.speed`, `$['a key'][0]`, `$.geofences[*].identifier`. The leading `$.` may be
/// omitted. A subset of RFC 9535: names, indices (negative ones from the end), and all elements.
package struct JSONPath: Equatable, Sendable {
  private enum Part: Equatable, Sendable {
    case name(String)
    case place(Int)
    case all
  }

  package let text: String
  private let parts: [Part]

  /// Returns nil for a text that is not such a path.
  package init?(_ text: String) {
    self.text = text
    var rest = Substring(text)
    var parts: [Part] = []
    if rest.hasPrefix("$") { rest = rest.dropFirst() } else if !rest.hasPrefix("[") { rest = "." + rest }
    while let first = rest.first {
      rest = rest.dropFirst()
      switch first {
      case ".":
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        parts.append(name == "*" ? .all : .name(String(name)))
        rest = rest[name.endIndex...]
      case "[":
        guard let (part, end) = Self.bracket(rest) else { return nil }
        parts.append(part)
        rest = rest[end...]
      default: return nil
      }
    }
    self.parts = parts
  }

  /// Parses the part after a bracket, and returns the index of its end.
  private static func bracket(_ text: Substring) -> (Part, Substring.Index)? {
    if let quote = text.first, quote == "'" || quote == "\"" {
      let name = text.dropFirst().prefix { $0 != quote }
      guard name.endIndex < text.endIndex, text[name.endIndex...].dropFirst().first == "]" else { return nil }
      return (.name(String(name)), text.index(name.endIndex, offsetBy: 2))
    }
    let inner = text.prefix { $0 != "]" }
    guard inner.endIndex < text.endIndex else { return nil }
    let end = text.index(after: inner.endIndex)
    if inner == "*" { return (.all, end) }
    return Int(inner).map { (.place($0), end) }
  }

  /// The name with which the path begins.
  package var firstName: String? {
    if case .name(let name)? = parts.first { name } else { nil }
  }

  /// Returns the selected values in order; empty if there are none.
  package func values(in root: JSONValue) -> [JSONValue] {
    var found = [root]
    for part in parts {
      found = found.flatMap { value -> [JSONValue] in
        switch (part, value) {
        case (.name(let name), _): value[name].map { [$0] } ?? []
        case (.place(let place), .array(let list)):
          list.indices.contains(place < 0 ? list.count + place : place)
            ? [list[place < 0 ? list.count + place : place]] : []
        case (.all, .array(let list)): list
        case (.all, .object(let object)): object.members.map(\.value)
        default: []
        }
      }
    }
    return found
  }
}
