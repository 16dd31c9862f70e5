/// The wire format of protocol buffers, https://protobuf.dev/programming-guides/encoding/
struct ProtobufWriter: MessageWriter {
  private(set) var bytes: [UInt8] = []

  private enum WireType: Int {
    case varint = 0
    case fixed64 = 1
    case delimited = 2
  }

  mutating func finish() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Writes a message. Its length precedes it and is known only afterwards: one byte is reserved for it, and longer
  /// messages are moved.
  mutating func message(_ field: MessageField, _ body: (inout ProtobufWriter) -> Void) {
    tag(field, .delimited)
    let place = bytes.count
    bytes.append(0)
    body(&self)
    putLength(at: place)
  }

  private mutating func putLength(at place: Int) {
    let length = bytes.count - place - 1
    guard length >= 0x80 else { return bytes[place] = UInt8(length) }
    var prefix = ProtobufWriter()
    prefix.varint(UInt64(length))
    bytes.replaceSubrange(place...place, with: prefix.bytes)
  }

  mutating func messages<Item>(
    _ field: MessageField, _ items: [Item], _ body: (Item, inout ProtobufWriter) -> Void
  ) {
    for item in items { message(field) { body(item, &$0) } }
  }

  mutating func text(_ field: MessageField, _ value: String, isOptional: Bool) {
    guard !value.isEmpty || isOptional else { return }
    tag(field, .delimited)
    varint(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  mutating func fixed(_ field: MessageField, _ value: UInt64) {
    guard value != 0 else { return }
    tag(field, .fixed64)
    word(value)
  }

  mutating func signedFixed(_ field: MessageField, _ value: Int64, isOptional: Bool) {
    guard value != 0 || isOptional else { return }
    tag(field, .fixed64)
    word(UInt64(bitPattern: value))
  }

  mutating func double(_ field: MessageField, _ value: Double, isOptional: Bool) {
    // Minus zero is not the default value.
    guard value.bitPattern != 0 || isOptional else { return }
    tag(field, .fixed64)
    word(value.bitPattern)
  }

  mutating func zigzag(_ field: MessageField, _ value: Int32) {
    guard value != 0 else { return }
    tag(field, .varint)
    varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
  }

  mutating func integer(_ field: MessageField, _ value: Int64, isOptional: Bool) {
    guard value != 0 || isOptional else { return }
    tag(field, .varint)
    varint(UInt64(bitPattern: value))
  }

  mutating func small(_ field: MessageField, _ value: UInt32) { integer(field, Int64(value), isOptional: false) }

  mutating func flag(_ field: MessageField, _ value: Bool) { small(field, value ? 1 : 0) }

  mutating func counts(_ field: MessageField, _ values: [UInt64]) {
    guard !values.isEmpty else { return }
    message(field) { writer in
      for value in values { writer.varint(value) }
    }
  }

  mutating func identity(_ field: MessageField, _ words: [UInt64]) {
    tag(field, .delimited)
    varint(UInt64(words.count * 8))
    for word in words {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(word >> shift & 0xFF)) }
    }
  }

  private mutating func tag(_ field: MessageField, _ type: WireType) {
    varint(UInt64(field.number << 3 | type.rawValue))
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func word(_ value: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
  }
}
