package import JSON

/// What a pull through a whole text yields, in order.
package enum JSONEvent: Equatable {
  case beginObject, endObject, beginArray, endArray
  case key(String)
  case string(String)
  /// As written, and the bits of the double that it is.
  case number([UInt8], bits: UInt64)
  case bool(Bool)
  case null

  /// All events of one complete text, white space around it included.
  package static func all(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) -> [JSONEvent] {
    var reader = JSONReader(bytes, limits: limits)
    var events: [JSONEvent] = []
    try pull(&reader, into: &events)
    try reader.finish()
    return events
  }

  /// The events of the next value.
  package static func pull(_ reader: inout JSONReader, into events: inout [JSONEvent]) throws(JSONError) {
    switch try reader.peek() {
    case .object:
      try reader.enterObject()
      events.append(.beginObject)
      while let key = try reader.nextKey() {
        events.append(.key(reader.string(key)))
        try pull(&reader, into: &events)
      }
      events.append(.endObject)
    case .array:
      try reader.enterArray()
      events.append(.beginArray)
      while try reader.nextElement() { try pull(&reader, into: &events) }
      events.append(.endArray)
    case .string: events.append(.string(reader.string(try reader.readText())))
    case .number:
      var digits: [UInt8] = []
      let number = try reader.readNumber()
      reader.append(rawValue: number.range, to: &digits)
      events.append(.number(digits, bits: reader.double(number).bitPattern))
    case .true, .false: events.append(.bool(try reader.readBool()))
    case .null:
      try reader.readNull()
      events.append(.null)
    }
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .beginObject: writer.beginObject()
    case .endObject: writer.endObject()
    case .beginArray: writer.beginArray()
    case .endArray: writer.endArray()
    case .key(let name): writer.key(name)
    case .string(let text): writer.value(text)
    case .number(let digits, _): writer.raw(digits)
    case .bool(let flag): writer.value(flag)
    case .null: writer.null()
    }
  }
}
