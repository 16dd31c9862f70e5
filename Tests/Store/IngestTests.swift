import Base
import Store
import Testing

@Suite struct IngestTests {
  /// Each device keeps its latest.
  @Test(arguments: StoreKind.allCases) func quarantineHasRoomForEachDevice(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { $0.limits.quarantinePerDevice = 3 }
    func quarantine(_ numbers: [Int], of device: DeviceIdentity) {
      var batch = Sample.batch(device, numbers)
      batch.quarantined = batch.points.map {
        QuarantinedItem(identity: $0.uuid, reason: "test", detail: "", record: $0.record)
      }
      batch.points = []
      #expect(store.ingest(batch) == [0, 0, numbers.count])
    }
    func kept(by device: DeviceIdentity) throws -> [String] {
      let selection = QuarantineSelection(run: device.run, device: device.name)
      return try store.reader().quarantine(selection, limit: 100).elements.map {
        String(decoding: $0.record, as: UTF8.self)
      }
    }
    let (one, other) = (Sample.device(1), Sample.device(1, run: "other"))
    quarantine([1, 2, 3], of: one)
    #expect(store.evictedFromQuarantine == 0)
    quarantine([10, 11, 12, 13, 14], of: other)
    #expect(store.evictedFromQuarantine == 2)
    quarantine([15], of: other)
    #expect(store.evictedFromQuarantine == 1)
    #expect(try kept(by: one) == ["record 3", "record 2", "record 1"])
    #expect(try kept(by: other) == ["record 15", "record 14", "record 13"])
    _ = store.ingest(Sample.batch(one, [1]))
    #expect(store.evictedFromQuarantine == 0)
    store.settle()
    #expect(try kept(by: one).count == 3)
  }

  @Test(arguments: StoreKind.allCases) func aRetryAddsNothing(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    #expect(store.ingest(Sample.batch([1, 2, 3])) == [3, 0, 0])
    #expect(store.ingest(Sample.batch([1, 2, 3])) == [0, 3, 0])
    #expect(store.ingest(Sample.batch([3, 4])) == [1, 1, 0])
    #expect(try store.reader().countStored() == 4)
  }

  @Test(arguments: StoreKind.allCases) func aRecordTwiceInOneBatchIsStoredOnce(_ kind: StoreKind) throws {
    #expect(try TestStore(kind).ingest(Sample.batch([1, 1, 2])) == [2, 1, 0])
  }

  @Test(arguments: StoreKind.allCases) func theFirstContentStays(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    var second = Sample.batch([1])
    second.bytes = Array("RECORD 1".utf8)
    _ = store.ingest(Sample.batch([1]))
    #expect(store.ingest(second) == [0, 1, 0])
    let points = try store.reader().wholeHistory(of: Sample.device())
    #expect(points.map { String(decoding: $0.record, as: UTF8.self) } == ["record 1"])
  }

  @Test(arguments: StoreKind.allCases) func theSameUuidOfAnotherDeviceOrTimeIsAnotherRecord(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    #expect(store.ingest(Sample.batch(Sample.device(1), [1])) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(2), [1])) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(1), [1], at: { _ in 0 })) == [1, 0, 0])
    #expect(store.ingest(Sample.batch(Sample.device(1, run: "other"), [1])) == [1, 0, 0])
  }

  @Test(arguments: StoreKind.allCases) func whatWasSentIsKept(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    var batch = Sample.batch([1], parameters: #"{"user_id":7}"#)
    batch.points[0].accuracy = 4.5
    batch.points[0].isMoving = true
    batch.points[0].event = nil
    _ = store.ingest(batch)
    let point = try #require(try store.reader().wholeHistory(of: Sample.device()).first)
    #expect(point.uuid == Sample.uuid(1))
    #expect(point.recordedAt == Sample.noon.millisecondsSince1970 + 1)
    #expect(point.receivedAt == Sample.noon.millisecondsSince1970)
    #expect(point.latitude == 1 && point.accuracy == 4.5 && point.speed == nil)
    #expect(point.isMoving == true && point.event == nil)
    #expect(String(decoding: point.parameters, as: UTF8.self) == #"{"user_id":7}"#)
  }

  /// Texts and records are bytes to a store, whatever a database thinks of some of them.
  @Test(arguments: StoreKind.allCases) func itIsKeptByteForByte(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let device = DeviceIdentity(run: "r\0", name: "na\0me\u{10FFFF}'\\")
    let point = Point(
      recordedAt: Sample.noon.millisecondsSince1970, uuid: UUID128(high: .max, low: 5), latitude: 48.25,
      longitude: -11.5, accuracy: 0, speed: -1, heading: 359.9, isMoving: false, event: "e\0", record: 0..<4)
    var batch = IngestBatch(
      device: device, receivedAt: Sample.noon, parameters: [123, 0, 125], bytes: [0, 255, 92, 39, 0, 254],
      points: [point])
    batch.quarantined = [
      QuarantinedItem(identity: UUID128(high: 1, low: .max), reason: "json", detail: "d\0", record: 4..<6)
    ]
    #expect(store.apply(.ingest(batch)) == .ingested(IngestReceipt(accepted: 1, quarantined: 1)))
    let reader = try store.reader()
    let found = try #require(try reader.wholeHistory(of: device).first)
    let expected = StoredPoint(
      cursor: found.cursor, uuid: point.uuid, recordedAt: point.recordedAt,
      receivedAt: Sample.noon.millisecondsSince1970, latitude: 48.25, longitude: -11.5, accuracy: 0, speed: -1,
      heading: 359.9, isMoving: false, event: "e\0", record: [0, 255, 92, 39], parameters: [123, 0, 125])
    #expect(found == expected)
    #expect(try reader.devices(run: "r\0", limit: 2).elements.map(\.identity) == [device])
    let aside = try reader.quarantine(limit: 2).elements
    #expect(aside.map(\.record) == [[0, 254]] && aside.map(\.detail) == ["d\0"] && aside.map(\.device) == [device])
  }

  @Test(arguments: StoreKind.allCases) func theLatestPositionMovesOnlyForwardInRecordedTime(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let start = Sample.noon.millisecondsSince1970
    func latest() throws -> Double? { try store.reader().device(Sample.device())?.latest?.latitude }
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

  @Test(arguments: StoreKind.allCases) func absurdTimesMakeNoPartitions(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let times = [0, -62_135_596_800_000, 1, 253_402_300_799_999, Sample.noon.millisecondsSince1970 + 3 * Sample.day]
    for (number, time) in times.enumerated() {
      #expect(store.ingest(Sample.batch([number], at: { _ in time })) == [1, 0, 0])
      #expect(store.ingest(Sample.batch([number], at: { _ in time })) == [0, 1, 0])
    }
    #expect(try store.reader().counts().partitions == 1)
    #expect(try store.reader().wholeHistory(of: Sample.device(), pages: 2).map(\.recordedAt) == times.sorted())
  }

  @Test(arguments: StoreKind.allCases) func aRecordFromTheFutureIsStillADuplicateWhenItsDayHasCome(_ kind: StoreKind)
    throws
  {
    let store = try TestStore(kind)
    let later = Sample.noon.advanced(byMilliseconds: 5 * Sample.day)
    func time(_ number: Int) -> Int64 { later.millisecondsSince1970 + Int64(number) }
    #expect(store.ingest(Sample.batch([1], at: time, parameters: "{}")) == [1, 0, 0])
    #expect(store.ingest(Sample.batch([1, 2], at: time, parameters: "{}"), now: later) == [1, 1, 0])
    #expect(try store.reader().counts().partitions == 2)
    let points = try store.reader().wholeHistory(of: Sample.device(), pages: 1)
    #expect(points.map(\.uuid) == [1, 2].map(Sample.uuid) && points.allSatisfy { $0.parameters == Array("{}".utf8) })
  }

  @Test(arguments: StoreKind.allCases) func beyondTheLimitOfPartitionsDaysShareOne(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { $0.limits.partitions = 3 }
    func time(_ number: Int) -> Int64 { Sample.noon.millisecondsSince1970 - Int64(number) * Sample.day }
    let numbers = Array(0..<10)
    #expect(store.ingest(Sample.batch(numbers, at: time)) == [10, 0, 0])
    #expect(store.ingest(Sample.batch(numbers, at: time)) == [0, 10, 0])
    #expect(try store.reader().counts().partitions == 4)
    #expect(
      try store.reader().wholeHistory(of: Sample.device(), pages: 3).map(\.uuid) == numbers.reversed().map(Sample.uuid))
  }

  @Test(arguments: StoreKind.allCases) func badRecordsAreKeptOnceWithTheirReason(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    var batch = Sample.batch([1])
    let start = batch.bytes.count
    batch.bytes += Array("{bad".utf8)
    batch.quarantined = [
      QuarantinedItem(identity: Sample.uuid(99), reason: "json", detail: "no end", record: start..<start + 4)
    ]
    #expect(store.ingest(batch) == [1, 0, 1])
    #expect(store.ingest(batch) == [0, 2, 0])
    let page = try store.reader().quarantine(QuarantineSelection(run: ""), limit: 10)
    #expect(page.elements.map(\.reason) == ["json"])
    #expect(page.elements.map { String(decoding: $0.record, as: UTF8.self) } == ["{bad"])
  }
}
