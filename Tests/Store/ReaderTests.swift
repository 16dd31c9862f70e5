import Base
import Store
import Support
import Testing

/// What a reader says of some uploads, orders, tags and logs, by the words of `StoreReader`.
@Suite struct ReaderTests {
  private static let (one, two, other) = (Sample.device(1), Sample.device(2), Sample.device(1, run: "test\0"))
  private static let noon = Sample.noon.millisecondsSince1970

  /// A record as it should be found.
  private struct Expected: Hashable {
    let device: DeviceIdentity
    let key: PointKey
    let receivedAt: Int64
    let event: String?
    let record: String

    init(_ device: DeviceIdentity, _ number: Int, receivedAt: Int64) {
      self.device = device
      key = PointKey(recordedAt: ReaderTests.time(number), uuid: Sample.uuid(number))
      self.receivedAt = receivedAt
      event = ReaderTests.event(number)
      record = "record \(number)"
    }

    init(_ device: DeviceIdentity, _ found: StoredPoint) {
      self.device = device
      key = PointKey(recordedAt: found.recordedAt, uuid: found.uuid)
      (receivedAt, event) = (found.receivedAt, found.event)
      record = String(decoding: found.record, as: UTF8.self)
    }

    init(_ found: ArrivedRecord) {
      (device, key, receivedAt, event) = (found.device, found.key, found.receivedAt, found.event)
      record = String(decoding: found.record, as: UTF8.self)
    }
  }

  /// Of four days, and some without a time. Three in a row have times close to each other.
  private static func time(_ number: Int) -> Int64 {
    number % 9 == 0 ? 0 : noon - Int64(number % 4) * Sample.day + Int64(number / 3)
  }

  private static func event(_ number: Int) -> String? { [nil, "motionchange", "odd\0"][number % 3] }

  /// In the order of the uploads, each received a second after the last one.
  private static let uploads: [(device: DeviceIdentity, numbers: Range<Int>)] = [
    (one, 0..<60), (two, 500..<501), (other, 20..<50), (one, 60..<90), (two, 600..<640), (one, 90..<91),
  ]

  private static let stored: [Expected] = uploads.enumerated().flatMap { place, upload in
    upload.numbers.map { Expected(upload.device, $0, receivedAt: noon + Int64(place) * 1_000) }
  }

  private static func upload(_ place: Int) -> StoreJob {
    let (device, numbers) = uploads[place]
    // Records that are known already come along.
    let repeated = place == 3 ? Array(50..<60) + Array(numbers) : Array(numbers)
    var batch = Sample.batch(
      device, repeated, at: time, received: Sample.noon.advanced(byMilliseconds: Int64(place) * 1_000),
      parameters: #"{"upload":\#(place)}"#)
    for index in batch.points.indices { batch.points[index].event = event(repeated[index]) }
    if place == 1 {
      batch.quarantined = (1...5).map { number in
        QuarantinedItem(
          identity: Sample.uuid(number), reason: number % 2 == 0 ? "json" : "time", detail: "d\0\(number)",
          record: batch.points[0].record)
      }
    }
    batch.commandLimit = 0
    return .ingest(batch)
  }

  private func filled(_ kind: StoreKind) throws -> TestStore {
    let store = try TestStore(kind)
    // Two uploads in one group, and a group for each.
    for places in [[0], [1, 2], [3], [4], [5]] {
      let now = Sample.noon.advanced(byMilliseconds: Int64(places[0]) * 1_000)
      _ = store.apply(places.map { ReaderTests.upload($0) }, now: now)
    }
    return store
  }

  @Test(arguments: StoreKind.allCases) func aHistoryHasEachRecordOfItsTimesInTheirOrder(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    for limit in [1, 7, 1_000] {
      try expectHistories(of: reader, pages: limit)
      #expect(try reader.history(of: Self.one, limit: limit).elements.count == min(limit, 91))
    }
  }

  private func expectHistories(of reader: any StoreReader, pages limit: Int) throws {
    let (noon, day) = (Self.noon, Sample.day)
    for device in [Self.one, Self.two, Self.other, Sample.device(9)] {
      for (from, to) in [(Int64.min, Int64.max), (1, noon), (noon - day, noon - day + 9), (noon, .max), (0, 1)] {
        let points = try reader.wholeHistory(of: device, from: from, to: to, pages: limit)
        let expected = Self.stored.filter { $0.device == device && $0.key.recordedAt >= from && $0.key.recordedAt < to }
        #expect(points.count == expected.count && points.map(\.recordedAt) == expected.map(\.key.recordedAt).sorted())
        #expect(Set(points.map { Expected(device, $0) }) == Set(expected))
        #expect(
          points.allSatisfy {
            $0.parameters == Array(#"{"upload":\#(($0.receivedAt - noon) / 1_000)}"#.utf8)
          })
      }
    }
  }

  /// What each walk is asked for, and which records it should meet.
  private static let selections: [(RecordSelection, @Sendable (Expected) -> Bool)] = [
    (RecordSelection(KeySelection(run: "")), { $0.device.run == "" }),
    (RecordSelection(KeySelection(run: "", device: one)), { $0.device == one }),
    (RecordSelection(KeySelection(run: other.run)), { $0.device == other }),
    (RecordSelection(KeySelection(run: other.run, device: other)), { $0.device == other }),
    (RecordSelection(KeySelection(run: "none")), { _ in false }),
    (RecordSelection(KeySelection(run: "", device: Sample.device(9))), { _ in false }),
    (
      RecordSelection(KeySelection(run: "", from: noon - Sample.day, to: noon - Sample.day + 20)),
      { $0.device.run == "" && $0.key.recordedAt >= noon - Sample.day && $0.key.recordedAt < noon - Sample.day + 20 }
    ),
    (RecordSelection(KeySelection(run: "", to: 1)), { $0.device.run == "" && $0.key.recordedAt == 0 }),
    (
      RecordSelection(KeySelection(run: "", from: noon + 200)),
      { $0.device.run == "" && $0.key.recordedAt >= noon + 200 }
    ),
    (
      RecordSelection(KeySelection(run: "", device: one), receivedFrom: noon + 3_000),
      { $0.device == one && $0.receivedAt >= noon + 3_000 }
    ),
  ]

  @Test(arguments: StoreKind.allCases) func aWalkMeetsEachRecordThatIsMeantOnce(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    for limit in [3, 1_000] { try expectWalks(of: reader, pages: limit) }
  }

  private func expectWalks(of reader: any StoreReader, pages limit: Int) throws {
    for (selection, isMeant) in Self.selections {
      let expected = Self.stored.filter(isMeant)
      let found = try reader.allArrivals(selection, pages: limit)
      #expect(found.count == expected.count && Set(found.map { Expected($0) }) == Set(expected), "\(selection)")
      let places = found.map { ($0.cursor.group, $0.cursor.row) }
      #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 }, "in the order of the cursors")
      guard selection.receivedFrom == .min else { continue }
      let keys = try glued { (cursor: ArrivalCursor?) in
        let cursor = try cursor.map { try ArrivalCursor(text: $0.text) }
        let page = try reader.keys(selection.keys, after: cursor, limit: limit)
        #expect(page.elements.count <= limit)
        return page
      }
      #expect(keys.map { "\($0)" }.sorted() == expected.map { "\(StoredKey(device: $0.device, key: $0.key))" }.sorted())
    }
  }

  /// Behind the end of a page, in the middle of an upload, lies what came with it and after it, and nothing else.
  @Test(arguments: StoreKind.allCases) func aWalkGoesOnBehindAnyRecord(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let selection = RecordSelection(KeySelection(run: ""))
    let records = try reader.allArrivals(selection, pages: 1_000)
    for (place, record) in records.enumerated() {
      let cursor = ArrivalCursor(group: record.cursor.group, row: record.cursor.row)
      let found = try reader.allArrivals(selection, behind: cursor, pages: 1_000)
      #expect(found.map { Expected($0) } == records[(place + 1)...].map { Expected($0) })
    }
  }

  private static func count(
    _ selection: RecordSelection, _ reader: any StoreReader
  ) throws -> (found: Int, pages: Int) {
    let counts = try glued { (cursor: ArrivalCursor?) in
      let (count, next) = try reader.count(selection, after: cursor)
      return Page(elements: [count], next: next)
    }
    return (counts.reduce(0, +), counts.count)
  }

  @Test(arguments: StoreKind.allCases) func countsAreOfWhatIsMeant(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    for (selection, isMeant) in Self.selections {
      #expect(try Self.count(selection, reader).found == Self.stored.count(where: isMeant), "\(selection)")
      var selection = selection
      for event in ["motionchange", "odd\0", "none"] {
        selection.event = event
        #expect(
          try Self.count(selection, reader).found == Self.stored.count { isMeant($0) && $0.event == event },
          "\(selection)")
      }
    }
    #expect(try reader.countStored() == Int64(Self.stored.count))
  }

  @Test(arguments: StoreKind.allCases) func recordsAreFoundByTheirKeys(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let wanted = Self.stored.filter { $0.device == Self.one }
    let absent = [PointKey(recordedAt: 5, uuid: Sample.uuid(5)), PointKey(recordedAt: 0, uuid: Sample.uuid(10))]
    #expect(try reader.missing(absent + wanted.map(\.key) + absent, of: Self.one) == absent + absent)
    #expect(try reader.missing(wanted.map(\.key), of: Sample.device(9)) == wanted.map(\.key))
    for expected in wanted.prefix(12) {
      #expect(try reader.arrival(expected.key, of: Self.one).map { Expected($0) } == expected)
      #expect(try reader.arrival(expected.key, of: Self.two) == nil)
    }
    for key in absent { #expect(try reader.arrival(key, of: Self.one) == nil) }
    let uuids = Set([3, 9, 89, 620, 4_711].map(Sample.uuid))
    let found = try glued { (cursor: ArrivalCursor?) in
      let page = try reader.keys(KeySelection(run: "", uuids: uuids), after: cursor, limit: 2)
      #expect(page.elements.count <= 2)
      return page
    }
    #expect(found.map(\.key.uuid.low).sorted() == [3, 9, 89, 620])
  }

  /// More than a page looks at came in one group, and more behind it.
  @Test(arguments: StoreKind.allCases) func aWalkPassesAnUploadThatIsLargerThanItsPages(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let device = Self.one
    for numbers in [0..<3, 3..<8_195, 8_195..<8_200, 8_200..<17_000] {
      #expect(store.ingest(Sample.batch(device, Array(numbers))) == [numbers.count, 0, 0])
    }
    let reader = try store.reader()
    let (all, few) = (try reader.allKeys(device: device), Set([1, 8_100, 8_197, 16_999].map(Sample.uuid)))
    #expect(all.count == 17_000 && Set(all.map(\.key)).count == 17_000)
    let found = try glued { try reader.keys(KeySelection(run: "", uuids: few), after: $0) }
    #expect(found.map(\.key.uuid.low).sorted() == [1, 8_100, 8_197, 16_999])
    let counted = try Self.count(
      RecordSelection(KeySelection(run: "", device: device), event: "motionchange"), reader)
    #expect(counted.found == 17_000 && counted.pages >= 2)
    let arrived = try reader.allArrivals(RecordSelection(KeySelection(run: "")), pages: 8_192)
    #expect(arrived.count == 17_000 && Set(arrived.map(\.key.uuid)).count == 17_000)
  }

  @Test(arguments: StoreKind.allCases) func devicesAndRunsAreListed(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let devices = try glued { try reader.devices(run: nil, after: $0, limit: 2) }
    #expect(devices.map(\.identity) == [Self.one, Self.two, Self.other])
    #expect(devices.map(\.points) == [91, 41, 30] && devices.map(\.duplicates) == [10, 0, 0])
    #expect(devices.map(\.quarantined) == [0, 5, 0])
    #expect(devices.map(\.firstSeen) == [0, 1, 1].map { Self.noon + $0 * 1_000 })
    #expect(devices.map(\.lastSeen) == [5, 4, 2].map { Self.noon + $0 * 1_000 })
    #expect(try reader.devices(run: Self.other.run, limit: 5).elements.map(\.identity) == [Self.other])
    #expect(try reader.devices(run: "none", limit: 5).elements.isEmpty)
    #expect(try reader.device(Self.other) == devices[2] && reader.device(Sample.device(9)) == nil)
    let runs = try reader.runs(named: nil, limit: 10)
    #expect(
      runs.map(\.run) == ["", Self.other.run] && runs.map(\.devices) == [2, 1] && runs.map(\.points) == [132, 30])
    #expect(try reader.runs(named: nil, limit: 1).map(\.run) == [""])
    #expect(try reader.runs(named: Self.other.run, limit: 1) == [runs[1]])
    #expect(try reader.runs(named: "none", limit: 1).isEmpty)
    func others(_ name: String?, than run: String) throws -> [String] {
      try reader.otherRuns(of: name, than: run, limit: 5).map { "\($0.run) \($0.points)" }
    }
    #expect(try others("device-1", than: "") == ["test\0 30"] && others("device-1", than: Self.other.run) == [" 91"])
    #expect(try others(nil, than: "none") == [" 132", "test\0 30"] && others("device-2", than: "") == [])
    for (run, expected) in [
      (nil, [3, 162, 10, 5]), ("", [2, 132, 10, 5]), (Self.other.run, [1, 30, 0, 0]), ("none", [0, 0, 0, 0]),
    ] as [(String?, [Int64])] {
      let counts = try reader.counts(run: run)
      #expect([counts.devices, counts.accepted, counts.duplicates, counts.quarantined] == expected)
      #expect(counts.partitions == 5 && counts.usedBytes > 0)
    }
  }

  @Test(arguments: StoreKind.allCases) func whatWasPutAsideIsShownByItsReason(_ kind: StoreKind) throws {
    let reader = try filled(kind).reader()
    let first = try reader.quarantine(QuarantineSelection(), before: nil, limit: 3)
    let rest = try reader.quarantine(QuarantineSelection(), before: first.next, limit: 3)
    #expect((first.elements + rest.elements).map(\.detail) == [5, 4, 3, 2, 1].map { "d\0\($0)" } && rest.next == nil)
    #expect(first.elements.allSatisfy { $0.device == Self.two && $0.receivedAt == Self.noon + 1_000 })
    #expect(String(decoding: first.elements[0].record, as: UTF8.self) == "record 500")
    func details(_ selection: QuarantineSelection) throws -> [String] {
      try reader.quarantine(selection, limit: 9).elements.map { String($0.detail.suffix(1)) }
    }
    #expect(try details(QuarantineSelection(run: "", reason: "json")) == ["4", "2"])
    #expect(try details(QuarantineSelection(device: "device-2", reason: "time")) == ["5", "3", "1"])
    #expect(try details(QuarantineSelection(run: Self.other.run)) == [])
    #expect(try details(QuarantineSelection(device: "device-1")) == [])
    #expect(try details(QuarantineSelection(id: first.elements[1].id)) == ["4"])
    #expect(try reader.quarantineReasons().map { "\($0.reason) \($0.count)" } == ["json 2", "time 3"])
    #expect(try reader.quarantineReasons(QuarantineSelection(run: Self.other.run)).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func tagsOrdersAndLogsAreShown(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let expiry = Sample.noon.advanced(byMilliseconds: 60_000)
    let (own, all) = (
      QueuedCommand(target: .device(Self.one), command: [1], expiresAt: expiry),
      QueuedCommand(target: .everyone(run: ""), command: [2], expiresAt: expiry.advanced(byMilliseconds: 30_000))
    )
    _ = store.apply(
      [.setTags(Self.one, ["b", "a"]), .setTags(Self.two, ["a"]), .queue(own), .queue(all)], now: Sample.noon)
    _ = store.apply(.takeCommands(Self.two, limit: 1), now: Sample.noon.advanced(byMilliseconds: 7))
    for (number, device) in [Self.one, Self.one, Self.two].enumerated() {
      let log = UploadedLog(
        device: device, receivedAt: Sample.noon, fileName: "\(number)\0.log",
        bytes: Array(repeating: 0, count: number + 1))
      _ = store.apply(.keepLog(log))
    }
    let reader = try store.reader()
    #expect(try reader.tags(of: Self.one) == ["a", "b"] && reader.tags(of: Self.other) == [])
    #expect(try reader.tags().map { "\($0.device.name) \($0.tag)" } == ["device-1 a", "device-1 b", "device-2 a"])
    func lines(_ device: DeviceIdentity?, run: String = "") throws -> [String] {
      let lines = try glued { (cursor: CommandCursor?) in
        try reader.commands(run: run, device: device, now: Sample.noon, after: cursor, limit: 1)
      }
      return lines.map { "\($0.command) \($0.device ?? "-") \($0.state) \($0.attempts)" }
    }
    #expect(try lines(nil) == ["[1] - queued 0", "[2] device-2 sent 1"])
    #expect(try lines(Self.one) == ["[1] - queued 0"] && lines(Self.two) == ["[2] device-2 sent 1"])
    #expect(try lines(nil, run: Self.other.run) == [])
    #expect(try reader.lastOrderExpiry() == expiry.advanced(byMilliseconds: 30_000))
    let logs = try reader.logs(of: Self.one)
    #expect(logs.map(\.fileName) == ["1\0.log", "0\0.log"] && logs.map(\.byteCount) == [2, 1])
    #expect(try reader.log(logs[0].id) == [0, 0] && reader.log(4_711) == nil)
  }
}
