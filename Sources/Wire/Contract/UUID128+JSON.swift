package import Base
package import JSON

extension UUID128 {
  /// Nil when the value has no such member, or it is not a uuid.
  package init?(member name: String, of value: JSONValue) {
    guard case .string(let text)? = value[name] else { return nil }
    self.init(text: text.utf8.span)
  }
}
