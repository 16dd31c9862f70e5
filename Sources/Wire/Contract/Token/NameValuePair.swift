package import JSON

/// A header line or a form field.
package struct NameValuePair: Equatable, Sendable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// The members of an object as texts, null left out; none when it is no object.
  package static func list(_ value: JSONValue) -> [NameValuePair] {
    guard case .object(let object) = value else { return [] }
    return object.members.compactMap { member in
      member.value.plainText.map { NameValuePair(member.key, $0) }
    }
  }

  /// With the text in place of the placeholder. Nil when there is no text to take its place.
  func substituting(_ placeholder: String, with text: String?) -> NameValuePair? {
    let parts = value.split(separator: placeholder, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return self }
    return text.map { NameValuePair(name, parts.joined(separator: $0)) }
  }
}
