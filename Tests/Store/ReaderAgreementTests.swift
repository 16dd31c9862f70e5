import Base
import PostgresStore
import Store
import Support
import Testing

/// Readers of both stores give the same answers about the same jobs, but for the numbers that each store gives by itself.
@Suite(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct ReaderAgreementTests {
  /// A transaction of other tests that is open would hold arrivals back.
  private static let cluster = Result { try PostgresCluster() }

  private let file: any StoreReader
  private let database: any StoreReader
  private let stores: [any Store]

  init() throws {
    let place = try Self.cluster.get().place()
    let sqlite = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let postgres = try PostgresStore(at: place, StoreConfiguration(folder: place))
    stores = [sqlite, postgres]
    for store in stores {
      for group in Self.groups { _ = store.apply(group, now: Sample.noon) }
    }
    (file, database) = (try #require(sqlite.reader), try PostgresReader(to: place))
  }

  private static let ofTest = Sample.device(1, run: "test\0")

  private static var groups: [[StoreJob]] {
    var quarantined = Sample.batch(Sample.device(2), [500])
    quarantined.quarantined = (1...5).map {
      QuarantinedItem(
        identity: Sample.uuid($0), reason: $0 % 2 == 0 ? "json" : "time", detail: "d\0\($0)",
        record: quarantined.points[0].record)
    }
    let order = QueuedCommand(
      target: .device(Sample.device(1)), command: Array("[1]".utf8),
      expiresAt: Sample.noon.advanced(byMilliseconds: 60_000))
    let everyone = QueuedCommand(
      target: .everyone(run: ""), command: Array("[2]".utf8), expiresAt: Sample.noon.advanced(byMilliseconds: 90_000))
    let days = { (number: Int) in
      number % 9 == 0 ? 0 : Sample.noon.millisecondsSince1970 - Int64(number % 4) * Sample.day + Int64(number / 3)
    }
    return [
      [.ingest(Sample.batch(Sample.device(1), Array(0..<60), at: days, parameters: #"{"a":1}"#))],
      [.ingest(quarantined), .ingest(Sample.batch(Self.ofTest, Array(20..<50), at: days))],
      [.queue(order), .queue(everyone), .setTags(Sample.device(1), ["b", "a"]), .setTags(Sample.device(2), ["a"])],
      [
        .ingest(Sample.batch(Sample.device(1), Array(50..<90), at: days)),
        .takeCommands(Sample.device(2), limit: 1),
        .keepLog(DeviceLog(device: Sample.device(1), receivedAt: Sample.noon, fileName: "a.log", bytes: [1, 0, 2])),
      ],
    ]
  }

  @Test(arguments: [1, 7, 1_000]) func historiesAreTheSame(pages: Int) throws {
    for device in [Sample.device(1), Sample.device(2), Self.ofTest, Sample.device(9)] {
      let noon = Sample.noon.millisecondsSince1970
      for (from, to) in [(Int64.min, Int64.max), (1, noon), (noon - Sample.day, noon - Sample.day + 9), (noon, .max)] {
        let answers = try [file, database].map { reader in
          try reader.wholeHistory(of: device, from: from, to: to, pages: pages).map { point in
            var point = point
            point.cursor = PointCursor(recordedAt: point.recordedAt, group: 0, row: 0)
            return point
          }
        }
        #expect(answers[0] == answers[1])
      }
    }
  }

  @Test func walksMeetEachRecordOnce() throws {
    for (run, device) in [("", nil), ("", Sample.device(1)), (Self.ofTest.run, nil), ("none", nil)]
      as [(String, DeviceIdentity?)]
    {
      let answers = try [file, database].map { try Set($0.allKeys(run: run, device: device).map { "\($0)" }) }
      #expect(answers[0] == answers[1])
      var met: [String] = []
      var cursor: ArrivalCursor?
      repeat {
        let page = try database.arrivals(
          RecordSelection(KeySelection(run: run, device: device)), after: cursor, limit: 7)
        met += page.elements.map { "\(StoredKey(device: $0.device, key: $0.key))" }
        cursor = page.next
      } while cursor != nil
      #expect(met.count == answers[1].count && Set(met) == answers[1], "each once")
    }
  }

  @Test func aWalkOverManyRecordsHasManyPages() throws {
    let postgres = stores[1]
    for start in stride(from: 1_000, to: 22_000, by: 3_000) {
      let batch = Sample.batch(Sample.device(7), Array(start..<start + 3_000))
      _ = postgres.apply([.ingest(batch)], now: Sample.noon)
    }
    let keys = try database.allKeys(device: Sample.device(7))
    #expect(keys.count == 21_000 && Set(keys.map(\.key)).count == 21_000)
    var (count, pages) = (0, 0)
    var cursor: ArrivalCursor?
    repeat {
      let (found, next) = try database.count(
        RecordSelection(KeySelection(run: "", device: Sample.device(7)), event: "motionchange"), after: cursor)
      (count, pages, cursor) = (count + found, pages + 1, next)
    } while cursor != nil
    #expect(count == 21_000 && pages >= 2)
    #expect(try database.countStored() == 21_000 + file.countStored())
  }

  @Test func smallAnswersAreTheSame() throws {
    for run in [nil, "", Self.ofTest.run, "none"] as [String?] {
      let counts = try [file, database].map { try $0.counts(run: run) }.map {
        [$0.devices, $0.accepted, $0.duplicates, $0.quarantined, $0.partitions]
      }
      #expect(counts[0] == counts[1])
      let devices = try [file, database].map { reader in
        try reader.devices(run: run, limit: 2).elements.map { device in
          var device = device
          device.id = 0
          return device
        }
      }
      #expect(devices[0] == devices[1])
      let selection = QuarantineSelection(run: run)
      let aside = try [file, database].map {
        try $0.quarantine(selection, limit: 3).elements.map { "\($0.device) \($0.detail) \($0.record)" }
      }
      #expect(aside[0] == aside[1])
      let reasons = try [file, database].map { try $0.quarantineReasons(selection).map { "\($0)" } }
      #expect(reasons[0] == reasons[1])
    }
    let runs = try [file, database].map { try $0.runs() }
    #expect(runs[0] == runs[1])
    let tags = try [file, database].map { try $0.tags().map { "\($0)" } }
    #expect(tags[0] == tags[1] && tags[0].count == 3)
    #expect(try file.tags(of: Sample.device(1)) == database.tags(of: Sample.device(1)))
    let others = try [file, database].map { try $0.otherRuns(of: "device-1", than: "", limit: 5).map { "\($0)" } }
    #expect(others[0] == others[1] && others[0].count == 1)
    #expect(try file.lastOrderExpiry() == database.lastOrderExpiry())
  }

  @Test func ledgersAndLogsAreTheSame() throws {
    for device in [nil, Sample.device(1), Sample.device(2)] as [DeviceIdentity?] {
      let lines = try [file, database].map { reader in
        try reader.ledger(run: "", device: device, now: Sample.noon, limit: 10).elements.map {
          "\($0.command) \($0.device ?? "-") \($0.state) \($0.sentAt ?? 0) \($0.attempts) \($0.target)"
        }
      }
      #expect(lines[0] == lines[1] && !lines[0].isEmpty)
    }
    let logs = try [file, database].map { try $0.logs(of: Sample.device(1)) }
    #expect(logs[1].map(\.fileName) == ["a.log"] && logs[1].map(\.byteCount) == logs[0].map(\.byteCount))
    #expect(try database.log(try #require(logs[1].first).id) == [1, 0, 2])
    #expect(try database.log(4_711) == nil)
  }

  @Test func singleRecordsAreFoundByTheirKeys() throws {
    let wanted = try file.allKeys(device: Sample.device(1)).map(\.key)
    let absent = [PointKey(recordedAt: 5, uuid: Sample.uuid(5)), PointKey(recordedAt: 0, uuid: Sample.uuid(10))]
    for device in [Sample.device(1), Sample.device(9)] {
      let answers = try [file, database].map { try $0.missing(absent + wanted + absent, of: device) }
      #expect(answers[0] == answers[1])
    }
    for key in wanted.prefix(3) + absent {
      let records = try [file, database].map { try $0.arrival(key, of: Sample.device(1)) }
      #expect(records[0]?.record == records[1]?.record && records[0]?.event == records[1]?.event)
    }
  }
}
