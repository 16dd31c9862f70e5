import Base
import Store
import Support
import Testing

@Suite struct HistoryTests {
  /// Records of three devices over four days, in an order of arrival that has little to do with their times.
  private func filled(_ kind: StoreKind) throws -> TestStore {
    let store = try TestStore(kind) { $0.limits.indexRunRows = 100 }
    var random = SeededGenerator(seed: 11)
    var jobs = (0..<1_500).map { number in
      let back = Int64.random(in: 0..<4 * Sample.day, using: &random)
      // Whole minutes, so that many records share a time.
      let time = (Sample.noon.millisecondsSince1970 - back) / Sample.minute / 30 * Sample.minute * 30
      return StoreJob.ingest(
        Sample.batch(Sample.device(number % 3), [number], at: { _ in number % 50 == 0 ? 0 : time }))
    }
    // Groups of one job and of many.
    while !jobs.isEmpty {
      let group = jobs.prefix(Int.random(in: 1...200, using: &random))
      _ = store.apply(Array(group), now: Sample.noon)
      jobs.removeFirst(group.count)
    }
    return store
  }

  @Test(arguments: StoreKind.allCases) func pagesGluedAreTheWhole(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    for pageSize in [1, 3, 64, 5_000] {
      for device in (0..<3).map({ Sample.device($0) }) {
        let points = try reader.wholeHistory(of: device, pages: pageSize)
        #expect(points.count == 500)
        #expect(points.map(\.cursor) == points.map(\.cursor).sorted())
        #expect(points.map(\.recordedAt) == points.map(\.recordedAt).sorted())
        #expect(Set(points.map(\.uuid)).count == 500)
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func indexingChangesNoAnswer(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let before = try (0..<3).map { try store.reader().wholeHistory(of: Sample.device($0)) }
    store.settle()
    let after = try (0..<3).map { try store.reader().wholeHistory(of: Sample.device($0)) }
    #expect(before == after)
    // And what arrives behind the last run is seen too.
    _ = store.ingest(Sample.batch(Sample.device(0), [9_999], at: { _ in Sample.noon.millisecondsSince1970 - 1 }))
    #expect(try store.reader().wholeHistory(of: Sample.device(0)).count == before[0].count + 1)
  }

  @Test func eachStepOfIndexingLeavesTheAnswerWhole() throws {
    let store = try filled(.sqlite)
    let before = try store.reader().wholeHistory(of: Sample.device(1))
    var steps = 0
    while store.maintain(now: Sample.noon) {
      steps += 1
      #expect(try store.reader().wholeHistory(of: Sample.device(1), pages: 100) == before)
    }
    #expect(steps > 20)
  }

  @Test(arguments: StoreKind.allCases) func fromAndToCutExactly(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let whole = try reader.wholeHistory(of: Sample.device(2))
    let from = whole[100].recordedAt
    let to = whole[300].recordedAt
    let cut = try reader.wholeHistory(of: Sample.device(2), from: from, to: to)
    #expect(cut == whole.filter { $0.recordedAt >= from && $0.recordedAt < to })
    #expect(!cut.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func everyKeyIsWalkedOnce(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let keys = try reader.allKeys()
    #expect(keys.count == 1_500)
    #expect(Set(keys.map(\.key.uuid)).count == 1_500)
    #expect(try reader.allKeys(device: Sample.device(1)).count == 500)
    #expect(try reader.allKeys(run: "none").isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func whatIsMissingIsNamed(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let stored = try reader.allKeys(device: Sample.device(1)).map(\.key)
    let absent = stored.prefix(5).map { PointKey(recordedAt: $0.recordedAt + 1, uuid: $0.uuid) }
    #expect(try reader.missing(absent + stored, of: Sample.device(1)) == absent)
    #expect(try reader.missing(stored, of: Sample.device(0)) == stored)
  }

  /// Times before 2000 and far in the future stand in a partition of their own, whatever day they name.
  @Test(arguments: StoreKind.allCases) func recordsOfImpossibleTimesAreFound(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let times = [100 * Sample.day, Sample.noon.millisecondsSince1970 + 40_000 * Sample.day]
    for (number, time) in times.enumerated() {
      _ = store.ingest(Sample.batch(Sample.device(1), [number], at: { _ in time }))
    }
    let reader = try store.reader()
    let keys = try reader.allKeys(device: Sample.device(1)).map(\.key)
    #expect(Set(keys.map(\.recordedAt)) == Set(times))
    let absent = PointKey(recordedAt: times[0] + 1, uuid: keys[0].uuid)
    #expect(try reader.missing(keys + [absent], of: Sample.device(1)) == [absent])
  }

  @Test(arguments: ["", "1", "1.2", "a.b.c", "1.2.3.4", "1..3", "99999999999999999999.1.1"])
  func aForeignCursorIsRefused(text: String) {
    #expect(throws: StoreError.self) { try PointCursor(text: text) }
  }
}
