import Base
import Store
import Testing

@Suite struct IngestTests {
  private func store() throws -> SQLiteStore { try SQLiteStore(StoreConfiguration(folder: ":memory:")) }

  @Test func aRetryAddsNothing() throws {
    let store = try store()
    #expect(store.ingest(Sample.batch([1, 2, 3])) == [3, 0, 0])
    #expect(store.ingest(Sample.batch([1, 2, 3])) == [0, 3, 0])
    #expect(store.ingest(Sample.batch([3, 4])) == [1, 1, 0])
    #expect(try store.open().countStored() == 4)
  }

  @Test func aRecordTwiceInOneBatchIsStoredOnce() throws {
    #expect(try store().ingest(Sample.batch([1, 1, 2])) == [2, 1, 0])
  }

  @Test func theFirstContentStays() throws {
    let store = try store()
    var second = Sample.batch([1])
    second.bytes = Array("RECORD 1".utf8)
    _ = store.ingest(Sample.batch([1]))
    #expect(store.ingest(second) == [0, 1, 0])
    let points = try store.open().wholeHistory(of: Sample.device())
    #expect(points.map { String(decoding: $0.record, as: UTF8.self) } == ["record 1"])
  }

  @Test func theSameUuidOfAnotherDeviceOrTimeIsAnotherRecord() throws {
    let store = try store()
    #expect(store.ingest(Sample.batch(Sample.device(1), [1])) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(2), [1])) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(1), [1], at: { _ in 0 })) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(1, run: "other"), [1])) == [1, 0, 0])
  }

  @Test func whatWasSentIsKept() throws {
    let store = try store()
    var batch = Sample.batch([1], parameters: #"{"user_id":7}"#)
    batch.points[0].accuracy = 4.5
    batch.points[0].isMoving = true
    batch.points[0].event = nil
    _ = store.ingest(batch)
    let point = try #require(try store.open().wholeHistory(of: Sample.device()).first)
    #expect(point.uuid == Sample.uuid(1))
    #expect(point.recordedAt == Sample.noon.millisecondsSince1970 + 1)
    #expect(point.receivedAt == Sample.noon.millisecondsSince1970)
    #expect(point.latitude == 1 && point.accuracy == 4.5 && point.speed == nil)
    #expect(point.isMoving == true && point.event == nil)
    #expect(String(decoding: point.parameters, as: UTF8.self) == #"{"user_id":7}"#)
  }

  @Test func theLatestPositionMovesOnlyForwardInRecordedTime() throws {
    let store = try store()
    let start = Sample.noon.millisecondsSince1970
    func latest() throws -> Double? { try store.open().device(Sample.device())?.latest?.latitude }
    _ = store.ingest(Sample.batch([5]))
    #expect(try latest() == 5)
    _ = store.ingest(Sample.batch([3, 4]))
    #expect(try latest() == 5)
    _ = store.ingest(Sample.batch([6], at: { _ in start + 5 }))
    #expect(try latest() == 5, "the same time is not forward")
    _ = store.ingest(Sample.batch([9, 8, 7]))
    #expect(try latest() == 9)
    _ = store.ingest(Sample.batch([10], at: { _ in start + 30 * Sample.day }))
    #expect(try latest() == 9, "a time that cannot be says nothing")
    var nowhere = Sample.batch([11])
    nowhere.points[0].latitude = nil
    _ = store.ingest(nowhere)
    #expect(try latest() == 9)
  }

  @Test func absurdTimesMakeNoPartitions() throws {
    let store = try store()
    let times = [0, -62_135_596_800_000, 1, 253_402_300_799_999, Sample.noon.millisecondsSince1970 + 3 * Sample.day]
    for (number, time) in times.enumerated() {
      #expect(store.ingest(Sample.batch([number], at: { _ in time })) == [1, 0, 0])
      #expect(store.ingest(Sample.batch([number], at: { _ in time })) == [0, 1, 0])
    }
    #expect(try store.open().counts().partitions == 1)
    #expect(try store.open().wholeHistory(of: Sample.device(), pages: 2).map(\.recordedAt) == times.sorted())
  }

  @Test func aRecordFromTheFutureIsStillADuplicateWhenItsDayHasCome() throws {
    let store = try store()
    let later = Sample.noon.advanced(byMilliseconds: 5 * Sample.day)
    func time(_ number: Int) -> Int64 { later.millisecondsSince1970 + Int64(number) }
    #expect(store.ingest(Sample.batch([1], at: time)) == [1, 0, 0])
    #expect(store.ingest(Sample.batch([1, 2], at: time), now: later) == [1, 1, 0])
    #expect(try store.open().counts().partitions == 2)
    #expect(try store.open().wholeHistory(of: Sample.device(), pages: 1).map(\.uuid) == [1, 2].map(Sample.uuid))
  }

  @Test func beyondTheLimitOfPartitionsDaysShareOne() throws {
    var configuration = StoreConfiguration(folder: ":memory:")
    configuration.limits.partitions = 3
    let store = try SQLiteStore(configuration)
    func time(_ number: Int) -> Int64 { Sample.noon.millisecondsSince1970 - Int64(number) * Sample.day }
    let numbers = Array(0..<10)
    #expect(store.ingest(Sample.batch(numbers, at: time)) == [10, 0, 0])
    #expect(store.ingest(Sample.batch(numbers, at: time)) == [0, 10, 0])
    #expect(try store.open().counts().partitions == 4)
    #expect(
      try store.open().wholeHistory(of: Sample.device(), pages: 3).map(\.uuid) == numbers.reversed().map(Sample.uuid))
  }

  @Test func badRecordsAreKeptOnceWithTheirReason() throws {
    let store = try store()
    var batch = Sample.batch([1])
    let start = batch.bytes.count
    batch.bytes += Array("{bad".utf8)
    batch.quarantined = [
      QuarantinedItem(identity: Sample.uuid(99), reason: "json", detail: "no end", record: start..<start + 4)
    ]
    #expect(store.ingest(batch) == [1, 0, 1])
    #expect(store.ingest(batch) == [0, 2, 0])
    let page = try store.open().quarantine(QuarantineSelection(run: ""), limit: 10)
    #expect(page.elements.map(\.reason) == ["json"])
    #expect(page.elements.map { String(decoding: $0.record, as: UTF8.self) } == ["{bad"])
  }
}
