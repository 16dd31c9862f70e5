/// A value of a JSON file with the line in which it begins.
struct JSONNode {
  indirect enum Value {
    case object([(key: String, node: JSONNode)])
    case array([JSONNode])
    case number(Double)
    case string(ArraySlice<UInt8>)
    case literal
  }

  let value: Value
  let spot: FileSpot

  /// The member of an object; nil when this is none or has no such member.
  subscript(key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  /// A literal that is neither true nor false would do as well: nobody asks for those.
  var isNull: Bool {
    if case .literal = value { true } else { false }
  }

  var elements: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements
  }

  var number: Double? {
    guard case .number(let number) = value else { return nil }
    return number
  }

  /// As it stands in the file: escapes are not resolved, because no name and no time of GeoJSON needs one.
  var text: ArraySlice<UInt8>? {
    guard case .string(let text) = value else { return nil }
    return text
  }

  var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }
}
