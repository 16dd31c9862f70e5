import Base
import Store
import Testing

@Suite struct RetentionTests {
  private func fill(_ store: TestStore, days: Int, perDay: Int, now: WallInstant = Sample.noon) {
    for day in 0..<days {
      let numbers = Array(day * perDay..<(day + 1) * perDay)
      let time = now.millisecondsSince1970 - Int64(day) * Sample.day
      _ = store.ingest(Sample.batch(numbers, at: { time + Int64($0 % perDay) }, parameters: "{\"d\":\(day)}"), now: now)
    }
  }

  @Test(arguments: StoreKind.allCases) func daysThatAreTooOldGoAndTheOthersStay(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { configuration in
      configuration.retainDays = 2
      configuration.limits.indexRunRows = 64
    }
    fill(store, days: 5, perDay: 200)
    store.settle()
    let reader = try store.reader()
    #expect(try reader.counts().partitions == 3)
    #expect(try reader.wholeHistory(of: Sample.device(), pages: 100).count == 600)
    #expect(try reader.countStored() == 600)
  }

  @Test(arguments: StoreKind.allCases) func anIncompleteDropIsInvisibleAndGoesOn(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    for part in 0..<3 { fill(store, days: 1, perDay: 2_000 * (part + 1)) }
    let old = Sample.noon.advanced(byMilliseconds: -9 * Sample.day)
    for part in 0..<3 {
      let numbers = Array(part * 2_000..<(part + 1) * 2_000)
      _ = store.ingest(Sample.batch(numbers, at: { old.millisecondsSince1970 + Int64($0) }))
    }
    try store.reopen { $0.retainDays = 3 }
    while try store.reader().counts().partitions == 2 { _ = store.maintain(now: Sample.noon) }
    _ = store.maintain(now: Sample.noon)
    #expect(try store.reader().wholeHistory(of: Sample.device(), pages: 1_000).count == 6_000)
    try store.reopen()
    store.settle()
    #expect(try store.reader().wholeHistory(of: Sample.device(), pages: 1_000).count == 6_000)
    #expect(try store.problems() == [])
    #expect(store.ingest(Sample.batch([1])) == [0, 1, 0])
  }

  @Test(arguments: StoreKind.allCases) func theOldestDaysMakeRoom(_ kind: StoreKind) throws {
    let limit: Int64 = kind == .sqlite ? 600_000 : 1_200_000
    let store = try TestStore(kind) { $0.retainBytes = limit }
    var now = Sample.noon
    for day in 0..<12 {
      fill(store, days: 1, perDay: 1_000 + day, now: now)
      store.settle(now: now)
      now = now.advanced(byMilliseconds: Sample.day)
    }
    let counts = try store.reader().counts()
    #expect(counts.usedBytes <= limit)
    #expect(counts.partitions >= 2 && counts.partitions < 12)
    let points = try store.reader().wholeHistory(of: Sample.device(), pages: 1_000)
    #expect(points.last?.recordedAt ?? 0 > now.millisecondsSince1970 - 2 * Sample.day, "the youngest day is there")
  }

  @Test(arguments: StoreKind.allCases) func aResetRunIsGoneAtOnceAndSweptLater(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let kept = Sample.device(1)
    let gone = Sample.device(1, run: "test")
    for part in 0..<5 {
      let numbers = Array(part * 1_000..<(part + 1) * 1_000)
      _ = store.ingest(Sample.batch(kept, numbers))
      _ = store.ingest(Sample.batch(gone, numbers))
    }
    #expect(store.apply(.reset(run: "test")) == .changed(1))
    var reader = try store.reader()
    #expect(try reader.wholeHistory(of: gone).isEmpty)
    #expect(try reader.allKeys(run: "test").isEmpty)
    #expect(try reader.counts(run: "test").devices == 0)
    #expect(store.ingest(Sample.batch(gone, [1, 2])) == [2, 0, 0], "a new device of the same name starts anew")
    store.settle()
    reader = try store.reader()
    #expect(try reader.wholeHistory(of: kept, pages: 1_000).count == 5_000)
    #expect(try reader.wholeHistory(of: gone).count == 2)
    #expect(try reader.allKeys().count == 5_000)
  }

  @Test(arguments: StoreKind.allCases) func resettingEverythingLeavesAnEmptyStore(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    fill(store, days: 3, perDay: 100)
    #expect(store.apply(.reset(run: nil)) == .changed(1))
    #expect(try store.reader().countStored() == 0)
    #expect(store.ingest(Sample.batch([1])) == [1, 0, 0])
    store.settle()
    #expect(try store.reader().counts().partitions == 1)
    #expect(try store.reader().countStored() == 1)
  }
}
