/// Iterates over the fields of an external message. Nil means the end, or an invalid rest.
struct ProtobufReader {
  /// The number of a field with its value.
  enum Field: Equatable {
    case varint(Int, UInt64)
    case delimited(Int, ArraySlice<UInt8>)
    /// A field of another type, which is skipped.
    case other(Int)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> Field? {
    guard let tag = varint(), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return nil }
    let number = Int(tag >> 3)
    switch tag & 7 {
    case 0: return varint().map { .varint(number, $0) }
    case 1: return skip(8).map { _ in .other(number) }
    case 2:
      guard let length = varint(), length <= UInt64(rest.count) else { return nil }
      return skip(Int(length)).map { .delimited(number, $0) }
    case 5: return skip(4).map { _ in .other(number) }
    default: return nil
    }
  }

  private mutating func skip(_ count: Int) -> ArraySlice<UInt8>? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}
