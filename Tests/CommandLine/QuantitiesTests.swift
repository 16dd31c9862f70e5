import Testing

@testable import CommandLine

@Suite struct QuantitiesTests {
  @Test func byteCountsAreRead() {
    let expected = [
      ("512", 512), ("512B", 512), ("64KiB", 65_536), ("8MiB", 8_388_608), ("2GiB", 2_147_483_648), ("1kB", 1_000),
      ("1.5MB", 1_500_000), ("0", 0),
    ]
    for (text, count) in expected { #expect(Quantities.byteCount(text) == count, "\(text)") }
  }

  @Test func aNumberWithoutItsUnitIsNoSizeWhereItWouldDelete() {
    #expect(["5", "5.5", "0", "1e9"].map(Quantities.unitedByteCount) == [nil, nil, nil, nil])
    #expect(["5B", "20GiB"].map(Quantities.unitedByteCount) == [5, 21_474_836_480])
  }

  @Test(arguments: ["", "s", "-1s", "+1", "1 s", "1x", "1e3", "1..2", "1MiBs", "99999999999999999999d", "０", "١"])
  func anythingElseIsNot(text: String) {
    #expect(Quantities.byteCount(text) == nil)
    #expect(Quantities.count(text) == nil)
  }

  @Test func aShareIsOnOffOrAPercentage() {
    #expect(["on", "off", "25%", "0.5%", "100%"].map(Quantities.share) == [1, 0, 0.25, 0.005, 1])
    #expect(["", "25", "101%", "-1%", "ON", "%"].map(Quantities.share) == [nil, nil, nil, nil, nil, nil])
  }
}
