import Base
import Store
import Support
import Testing

/// The store against a dictionary, over seeded sequences of everything that can happen.
@Suite struct ModelTests {
  private struct Model {
    var rows: [DeviceIdentity: [PointKey: String]] = [:]
    var latest: [DeviceIdentity: Int64] = [:]

    mutating func ingest(_ batch: IngestBatch) -> [Int] {
      var counts = [0, 0, 0]
      var own = rows[batch.device] ?? [:]
      for point in batch.points {
        let key = PointKey(recordedAt: point.recordedAt, uuid: point.uuid)
        guard own[key] == nil else {
          counts[1] += 1
          continue
        }
        own[key] = String(decoding: batch.bytes[point.record], as: UTF8.self)
        counts[0] += 1
        if point.recordedAt > 0 { latest[batch.device] = max(latest[batch.device] ?? 0, point.recordedAt) }
      }
      rows[batch.device] = own
      return counts
    }

    mutating func reset(_ run: String) {
      rows = rows.filter { $0.key.run != run }
      latest = latest.filter { $0.key.run != run }
    }
  }

  private let devices = (0..<6).map { Sample.device($0 % 3, run: $0 < 3 ? "" : "test") }

  private func batch(_ random: inout SeededGenerator) -> IngestBatch {
    let device = devices[random.index(below: devices.count)]
    let numbers = (0..<random.index(below: 12)).map { _ in random.index(below: 400) }
    // Mostly the order of arrival, some late by days, some without a time; a number always has the same time.
    return Sample.batch(device, numbers) { number in
      switch number % 10 {
      case 0: 0
      case 1, 2: Sample.noon.millisecondsSince1970 - Int64(number) * Sample.day / 100
      default: Sample.noon.millisecondsSince1970 + Int64(number) * 1_000
      }
    }
  }

  private func compare(_ store: TestStore, _ model: Model, _ seed: UInt64) throws {
    for device in devices {
      let points = try store.reader().wholeHistory(of: device, pages: 50)
      let rows = model.rows[device] ?? [:]
      #expect(points.count == rows.count, "seed \(seed)")
      for point in points {
        let key = PointKey(recordedAt: point.recordedAt, uuid: point.uuid)
        #expect(rows[key] == String(decoding: point.record, as: UTF8.self), "seed \(seed)")
      }
      #expect(points.map(\.recordedAt) == points.map(\.recordedAt).sorted(), "seed \(seed)")
      let stored = try store.reader().device(device)
      #expect(stored?.latest?.recordedAt == model.latest[device], "seed \(seed)")
      #expect(stored?.points ?? 0 == Int64(rows.count), "seed \(seed)")
    }
  }

  /// PostgreSQL also has sequences in common with SQLite, in StoreAgreementTests.
  private static let sequences =
    (1...12).map { (StoreKind.sqlite, UInt64($0)) } + (1...2).map { (StoreKind.postgres, UInt64($0)) }

  @Test(arguments: sequences)
  func theStoreIsTheDictionary(_ kind: StoreKind, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try TestStore(kind, isKept: true) { configuration in
      configuration.limits.indexRunRows = 128
      configuration.limits.checkpointPages = 20
      configuration.limits.cachedDevices = 4
    }
    var model = Model()
    for step in 0..<150 {
      switch random.index(below: 20) {
      case 0:
        #expect(store.apply(.reset(run: "test")) != .unavailable(.full), "seed \(seed)")
        model.reset("test")
      case 1: try store.reopen()
      case 2...6: _ = store.maintain(now: Sample.noon)
      default:
        let batches = (0..<1 + random.index(below: 4)).map { _ in batch(&random) }
        let results = store.apply(batches.map { .ingest($0) }, now: Sample.noon)
        for (batch, result) in zip(batches, results) {
          let expected = model.ingest(batch)
          let receipt = IngestReceipt(accepted: expected[0], duplicate: expected[1])
          #expect(result == .ingested(receipt), "seed \(seed) step \(step)")
        }
      }
      if step % 30 == 29 { try compare(store, model, seed) }
    }
    store.settle(now: Sample.noon.advanced(byMilliseconds: 2 * Sample.day))
    try compare(store, model, seed)
    #expect(try store.problems() == [], "seed \(seed)")
  }
}
