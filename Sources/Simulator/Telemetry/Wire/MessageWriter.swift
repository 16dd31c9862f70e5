/// A field of a message: its number in protobuf and its name in JSON.
struct MessageField {
  let number: Int
  let name: StaticString

  init(_ number: Int, _ name: StaticString) { (self.number, self.name) = (number, name) }
}

/// Writes protocol buffer messages, in either of the two encodings. Default values (0, an empty text) are omitted, unless the
/// field is optional.
protocol MessageWriter {
  init()
  /// Returns the message and resets the writer.
  mutating func finish() -> [UInt8]

  mutating func message(_ field: MessageField, _ body: (inout Self) -> Void)
  mutating func messages<Item>(_ field: MessageField, _ items: [Item], _ body: (Item, inout Self) -> Void)
  mutating func text(_ field: MessageField, _ value: String, isOptional: Bool)
  /// Writes an unsigned 64-bit fixed field.
  mutating func fixed(_ field: MessageField, _ value: UInt64)
  /// Writes a signed 64-bit fixed field.
  mutating func signedFixed(_ field: MessageField, _ value: Int64, isOptional: Bool)
  mutating func double(_ field: MessageField, _ value: Double, isOptional: Bool)
  /// Writes a zigzag varint.
  mutating func zigzag(_ field: MessageField, _ value: Int32)
  /// Writes a signed varint.
  mutating func integer(_ field: MessageField, _ value: Int64, isOptional: Bool)
  /// Writes an unsigned varint: numbers, flags and enum cases.
  mutating func small(_ field: MessageField, _ value: UInt32)
  mutating func flag(_ field: MessageField, _ value: Bool)
  /// Writes a packed list of unsigned varints.
  mutating func counts(_ field: MessageField, _ values: [UInt64])
  /// Writes an id of 8 or 16 bytes, which is hexadecimal in OTLP's JSON.
  mutating func identity(_ field: MessageField, _ words: [UInt64])
}

extension MessageWriter {
  mutating func text(_ field: MessageField, _ value: String) { text(field, value, isOptional: false) }
  mutating func double(_ field: MessageField, _ value: Double) { double(field, value, isOptional: false) }
}
