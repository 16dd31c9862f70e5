import Testing

@testable import Base

/// Vectors of RFC 9923.
@Suite struct FNV1aTests {
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325, 0x811C_9DC5), ("a", 0xAF63_DC4C_8601_EC8C, 0xE40C_292C),
      ("foobar", 0x8594_4171_F739_67E8, 0xBF9C_F968),
    ] as [(String, UInt64, UInt32)])
  func aTextHasItsHash(text: String, long: UInt64, short: UInt32) {
    #expect(FNV1a.hash(text) == long)
    #expect(FNV1a.hash32(text) == short)
  }

  @Test func aNumberIsHashedFromItsLowestByte() {
    var hash = FNV1a()
    hash.add(UInt64(0x72_6162_6F6F_66))
    hash.add(UInt64(0))
    var bytes = FNV1a()
    for byte in Array("foobar".utf8) + Array(repeating: 0, count: 10) { bytes.add(byte) }
    #expect(hash.value == bytes.value)
  }
}
