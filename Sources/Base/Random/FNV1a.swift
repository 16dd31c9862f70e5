/// FNV-1a (https://www.rfc-editor.org/rfc/rfc9923): unlike the standard library's hash, it is the same in every process.
package struct FNV1a: Sendable {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  /// Adds the bytes of the number, the lowest first.
  package mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: UInt64(UInt64.bitWidth), by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  package static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    for byte in text.utf8 { hash.add(byte) }
    return hash.value
  }

  /// Returns the 32-bit hash, which is a different function and not half of the 64-bit one.
  package static func hash32(_ text: String) -> UInt32 {
    text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
