import JSON
package import Upload

extension OutgoingRequest {
  /// How many records there are in the body. Nil when its shape does not tell: a list of values may be one record of a
  /// template.
  package var recordCount: Int? {
    do throws(JSONError) {
      switch try JSONValue(parsing: body.span, duplicateKeys: .lastWins) {
      case .array(let elements): return elements.allSatisfy(\.isObject) ? elements.count : nil
      case .object(let object):
        let lists = object.members.compactMap(\.value.objects)
        return lists.count == 1 ? lists[0].count : lists.isEmpty ? 1 : nil
      case .null, .bool, .integer, .double, .string: return nil
      }
    } catch { return nil }
  }
}

extension JSONValue {
  /// A list of objects, at least one.
  fileprivate var objects: [JSONValue]? {
    if case .array(let elements) = self, !elements.isEmpty, elements.allSatisfy(\.isObject) { elements } else { nil }
  }
}
