import Testing

@testable import Base

@Suite struct QuantityTests {
  @Test func aNumberIsPaddedWithZeros() {
    #expect(7.zeroPadded(to: 2) == "07")
    #expect(1_234.zeroPadded(to: 2) == "1234")
    #expect(UInt64.max.zeroPadded(to: 16, radix: 16) == "ffffffffffffffff")
    #expect(0.zeroPadded(to: 3) == "000")
  }
}
