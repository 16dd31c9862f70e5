import Base
import Contract
import Testing

@testable import Oracle

@Suite struct LossProfileTests {
  private func sentence(lost: Int, kept: Int, of devices: [String] = ["car-1"], misplaced: Int = 0) -> String? {
    var profile = LossProfile()
    profile.misplaced = misplaced
    for index in 0..<(lost + kept) {
      let record = WaitingRecord(
        row: Int64(index), uuid: UUID128(high: 1, low: UInt64(index)), timestamp: .init(millisecondsSince1970: 0),
        createdAt: .init(nanoseconds: 0), mark: 0, length: 0)
      let dequeued = DequeuedRecord(record, of: 0, at: .init(nanoseconds: Int64(index) * 1_000_000_000))
      let isLost = index < lost
      profile.count(dequeued, event: nil, of: isLost ? devices[0] : devices[devices.count - 1], isLost: isLost)
    }
    profile.closeDevice()
    return profile.sentence
  }

  @Test func nothingIsSaidOfNoLoss() { #expect(sentence(lost: 0, kept: 3) == nil) }

  @Test func oneLostRecordIsSpokenOfAsOne() {
    #expect(
      sentence(lost: 1, kept: 9, of: ["car-1", "car-2"])
        == "the lost record: it belongs to car-1 (1 of 1 such records is lost)")
    #expect(sentence(lost: 1, kept: 9)?.hasPrefix("the lost record: nothing sets it apart in kind, ") == true)
    #expect(sentence(lost: 1, kept: 0) == "the lost record: no other record was acknowledged")
    #expect(
      sentence(lost: 1, kept: 9, misplaced: 1) == "the lost record: it is listed under another device")
  }

  @Test func severalLostRecordsAreSpokenOfAsSeveral() {
    #expect(
      sentence(lost: 2, kept: 8, of: ["car-1", "car-2"])
        == "the 2 lost records: all belong to car-1 (2 of 2 such records are lost)")
  }
}
