import Base
import Testing

@testable import Telemetry

/// The payload of a line in a log of histograms.
@Suite struct HistogramLogTests {
  /// From the description of the V2 encoding: cookie, length, offset, digits, lowest, highest, ratio, counts.
  @Test func aPayloadIsAsItsDescriptionSays() {
    var histogram = Histogram(highestTrackableValue: 3_600_000_000)
    histogram.record(1)
    histogram.record(3, times: 200)
    histogram.record(6)
    let payload = HistogramLog.payload(of: histogram.filledSlots, upTo: 3_600_000_000)
    let head: [UInt8] = [
      0x1C, 0x84, 0x93, 0x13, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xD6, 0x93,
      0xA4, 0x00, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0,
    ]
    // An empty slot, 1, an empty slot, 200, two empty slots, 1.
    #expect(payload == head + [0, 2, 0, 0x90, 0x03, 3, 2])
    let packed = HistogramLog.pack(histogram.filledSlots, upTo: 3_600_000_000)
    #expect(packed.prefix(4) == [0x1C, 0x84, 0x93, 0x14] && Int(packed[7]) == packed.count - 8)
  }

  /// The vectors of RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func base64IsThatOfItsRFC(_ plain: String, _ coded: String) {
    #expect(Base64.text(Array(plain.utf8)) == coded)
  }

  @Test func whatHasComeSinceACopyIsTheDifference() {
    var histogram = Histogram(highestTrackableValue: 1_000_000)
    for value in [5, 5, 900, 70_000] as [UInt64] { histogram.record(value) }
    let before = histogram
    for value in [5, 4, 70_000, 999_999, 2_000_000] as [UInt64] { histogram.record(value) }
    let growth = histogram.growth(since: before)
    #expect(growth.map(\.count) == [1, 1, 1, 1])
    #expect(zip(growth, [4, 5, 70_000, 999_999] as [UInt64]).allSatisfy { $0.values.contains($1) })
    #expect(histogram.growth(since: histogram) == [])
  }
}
