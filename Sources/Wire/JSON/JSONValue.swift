/// A JSON value as a tree, for code where speed does not matter: configuration, admin bodies.
package indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number written as an integer, except -0.
  case integer(Int64)
  /// A number written with fraction or exponent; and -0, which only a double can represent.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The treatment of valid JSON that this type cannot represent.
  package enum Reading: Sendable {
    /// A repeated key in an object is `duplicateKey`, and an integer that does not fit into 64 bits signed is
    /// `integerOutOfRange`.
    case strict
    /// The last value of a repeated key counts, at the position of the first, and such an integer becomes the nearest double:
    /// as in the JSON readers of phones.
    case lenient
  }

  /// Parses a complete text with one value.
  package init(
    parsing bytes: Span<UInt8>, limits: JSONLimits = .standard, reading: Reading = .strict
  ) throws(JSONError) {
    var reader = JSONReader(bytes, limits: limits)
    self = try Self.read(from: &reader, reading)
    try reader.finish()
  }

  /// Reads the next value of a reader.
  package init(from reader: inout JSONReader, reading: Reading = .strict) throws(JSONError) {
    self = try Self.read(from: &reader, reading)
  }

  /// The member of an object; nil for other values and missing members.
  package subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  /// The text of the value, in UTF-8.
  package var serialized: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The text of the value, as a string.
  package var serializedText: String { String(decoding: serialized, as: UTF8.self) }

  /// Traps when nested deeper than 64, which a parsed value never is.
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let flag): writer.value(flag)
    case .integer(let number): writer.value(number)
    case .double(let number): writer.value(number)
    case .string(let text): writer.value(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let object):
      writer.beginObject()
      for member in object.members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  private static func read(
    from reader: inout JSONReader, _ reading: Reading
  ) throws(JSONError) -> JSONValue {
    switch try reader.peek() {
    case .null:
      try reader.readNull()
      return .null
    case .true, .false: return .bool(try reader.readBool())
    case .string: return .string(reader.string(try reader.readText()))
    case .number: return try readNumber(from: &reader, reading)
    case .array: return try readArray(from: &reader, reading)
    case .object: return try readObject(from: &reader, reading)
    }
  }

  private static func readNumber(
    from reader: inout JSONReader, _ reading: Reading
  ) throws(JSONError) -> JSONValue {
    let number = try reader.readNumber()
    guard number.isInteger else { return .double(reader.double(number)) }
    guard let integer = reader.int64(number) else {
      if reading == .lenient { return .double(reader.double(number)) }
      throw JSONError(.integerOutOfRange, at: number.range.lowerBound)
    }
    let isNegativeZero = integer == 0 && reader.double(number).sign == .minus
    return isNegativeZero ? .double(-0.0) : .integer(integer)
  }

  private static func readArray(
    from reader: inout JSONReader, _ reading: Reading
  ) throws(JSONError) -> JSONValue {
    var elements: [JSONValue] = []
    try reader.enterArray()
    while try reader.nextElement() { elements.append(try read(from: &reader, reading)) }
    return .array(elements)
  }

  private static func readObject(
    from reader: inout JSONReader, _ reading: Reading
  ) throws(JSONError) -> JSONValue {
    var object = JSONObject()
    // Indexed here and not in the object, so that a large number of keys takes linear time.
    var places: [[UInt8]: Int] = [:]
    try reader.enterObject()
    while let text = try reader.nextKey() {
      var key: [UInt8] = []
      reader.append(text, to: &key)
      if let place = places[key] {
        if reading == .strict { throw JSONError(.duplicateKey, at: text.range.lowerBound - 1) }
        object.members[place].value = try read(from: &reader, reading)
      } else {
        places[key] = object.members.count
        object.members.append(.init(key: reader.string(text), value: try read(from: &reader, reading)))
      }
    }
    return .object(object)
  }
}

/// The members of an object in the order of the text. Meant for a handful of keys: a lookup scans the list. Keys are compared
/// code point by code point (RFC 8259 §8.3), not by canonical equivalence as `String` does.
package struct JSONObject: Equatable, Sendable {
  /// A key and its value.
  package struct Member: Equatable, Sendable {
    package let key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Keys are unique. Two objects are equal only if their members are in the same order.
  package internal(set) var members: [Member] = []

  package init() {}

  /// Setting nil removes the member; a new key is appended.
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
  /// The members in the order written; a repeated key is a programming error.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements {
      precondition(self[key] == nil, "the key occurs twice")
      members.append(Member(key: key, value: value))
    }
  }
}
