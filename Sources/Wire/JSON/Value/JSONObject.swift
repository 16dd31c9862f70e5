/// The members of an object in the order of the text. Meant for a handful of keys: looking one up walks the list. Keys
/// are compared code point by code point (RFC 8259 §8.3), not by what they look like as `String` does.
package struct JSONObject: Equatable, Sendable {
  /// One key with its value.
  package struct Member: Equatable, Sendable {
    package let key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Keys are unique. Two objects are equal only when their members stand in the same order.
  package internal(set) var members: [Member] = []

  package init() {}

  /// Setting nil removes the member; a new key goes to the end.
  package subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      let index = index(of: key)
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? { members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The members in the order written; a key that is repeated is a programmer error.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements {
      precondition(self[key] == nil, "the key occurs twice")
      members.append(Member(key: key, value: value))
    }
  }
}
