/// A field of a message: its number in protobuf and its name in JSON.
struct MessageField {
  let number: Int
  let name: StaticString

  init(_ number: Int, _ name: StaticString) { (self.number, self.name) = (number, name) }
}

/// Writes messages of protocol buffers, in either of their two encodings. A value that a reader assumes anyhow (0, an empty
/// text) is left out, unless it is to be told from none.
protocol MessageWriter {
  init()
  /// What was written; the writer begins anew.
  mutating func finish() -> [UInt8]

  mutating func message(_ field: MessageField, _ body: (inout Self) -> Void)
  mutating func messages<Item>(_ field: MessageField, _ items: [Item], _ body: (Item, inout Self) -> Void)
  mutating func text(_ field: MessageField, _ value: String, isOptional: Bool)
  /// Eight bytes, without a sign.
  mutating func fixed(_ field: MessageField, _ value: UInt64)
  /// Eight bytes, with a sign.
  mutating func signedFixed(_ field: MessageField, _ value: Int64, isOptional: Bool)
  mutating func double(_ field: MessageField, _ value: Double, isOptional: Bool)
  /// A varint that has its sign in the lowest bit.
  mutating func zigzag(_ field: MessageField, _ value: Int32)
  /// A varint with a sign.
  mutating func integer(_ field: MessageField, _ value: Int64, isOptional: Bool)
  /// A varint without a sign: numbers, flags and cases of enums.
  mutating func small(_ field: MessageField, _ value: UInt32)
  mutating func flag(_ field: MessageField, _ value: Bool)
  /// A list of varints without a sign.
  mutating func counts(_ field: MessageField, _ values: [UInt64])
  /// An identity of 8 or 16 bytes, which OTLP has as hexadecimal digits in JSON.
  mutating func identity(_ field: MessageField, _ words: [UInt64])
}

extension MessageWriter {
  mutating func text(_ field: MessageField, _ value: String) { text(field, value, isOptional: false) }
  mutating func double(_ field: MessageField, _ value: Double) { double(field, value, isOptional: false) }
}
