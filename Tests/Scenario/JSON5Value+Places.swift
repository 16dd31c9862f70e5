@testable import Scenario

/// Changing one value somewhere in a document.
extension JSON5Value {
  /// The paths of all values beneath this one, as indices of elements and members.
  var places: [[Int]] {
    let children: [JSON5Value]
    switch content {
    case .array(let elements): children = elements
    case .object(let members): children = members.map(\.value)
    case .null, .bool, .integer, .double, .string: children = []
    }
    return [[]] + children.enumerated().flatMap { index, child in child.places.map { [index] + $0 } }
  }

  func replacing(_ place: ArraySlice<Int>, by content: Content) -> JSON5Value {
    changing(place) { $0.content = content }
  }

  /// Unchanged where there is no object.
  func adding(_ key: String, at place: ArraySlice<Int>) -> JSON5Value {
    changing(place) { value in
      guard case .object(let members) = value.content else { return }
      let null = JSON5Value(content: .null, position: value.position)
      value.content = .object(members + [Member(key: key, position: value.position, value: null)])
    }
  }

  func removing(_ key: String) -> JSON5Value {
    guard case .object(let members) = content else { return self }
    return replacing([], by: .object(members.filter { $0.key != key }))
  }

  private func changing(_ place: ArraySlice<Int>, _ change: (inout JSON5Value) -> Void) -> JSON5Value {
    var result = self
    guard let index = place.first else {
      change(&result)
      return result
    }
    switch content {
    case .array(var elements):
      elements[index] = elements[index].changing(place.dropFirst(), change)
      result.content = .array(elements)
    case .object(var members):
      members[index].value = members[index].value.changing(place.dropFirst(), change)
      result.content = .object(members)
    case .null, .bool, .integer, .double, .string: break
    }
    return result
  }
}
