import Base
import Database
import Store
import Support
import Testing

@Suite struct ForwardingTests {
  /// What a sink would get from here on, by pages.
  private func rest(
    of store: TestStore, behind position: SinkPosition? = nil, limit: Int = 7, bytes: Int = 1_000_000
  ) throws -> [ArrivedRecord] {
    let (reader, marks) = try (store.reader(), store.marks())
    var end = try position ?? #require(try reader.position(ofSink: "sink"))
    var records: [ArrivedRecord] = []
    while end.count(until: marks) > 0 {
      let page = try reader.records(behind: end, until: marks, limit: limit, bytes: bytes)
      #expect(page.records.count <= limit)
      try #require(page.end != end, "each page is a step")
      records += page.records
      end = page.end
    }
    return records
  }

  private func names(_ records: [ArrivedRecord]) -> [String] {
    records.map { String(decoding: $0.record, as: UTF8.self) }
  }

  @Test(arguments: StoreKind.allCases, [Int64(-1), 0, 1])
  func recordsGoInTheOrderOfTheirArrivalWhateverTheirDays(_ kind: StoreKind, millisecondsApart: Int64) throws {
    let store = try TestStore(kind) { $0.sinks = ["sink"] }
    var expected: [String] = []
    // Each request carries records of three days, newest and oldest in turn.
    for request in 0..<20 {
      let received = Sample.noon.advanced(byMilliseconds: Int64(request) * millisecondsApart)
      let numbers = [request * 2, request * 2 + 1]
      let day = Int64(request * 7 % 3)
      let time = Sample.noon.millisecondsSince1970 - day * Sample.day
      #expect(store.ingest(Sample.batch(numbers, at: { time + Int64($0) }, received: received)) == [2, 0, 0])
      expected += numbers.map { "record \($0)" }
    }
    #expect(names(try rest(of: store, behind: SinkPosition())) == expected)
    #expect(names(try rest(of: store, behind: SinkPosition(), limit: 1)) == expected)
    #expect(names(try rest(of: store, behind: SinkPosition(), bytes: 1)) == expected, "one record always goes")
  }

  /// Several devices within a few milliseconds, stamped by several loops: the clock of one is not that of the others.
  @Test(arguments: StoreKind.allCases, UInt64(1)...8) func eachDeviceKeepsItsOrder(_ kind: StoreKind, seed: UInt64)
    throws
  {
    let store = try TestStore(kind) { $0.sinks = ["sink"] }
    var draws = SeededGenerator(seed: seed)
    var clock = Sample.noon
    var expected: [String: [String]] = [:]
    for request in 0..<60 {
      clock = clock.advanced(byMilliseconds: Int64.random(in: -1...1, using: &draws))
      let device = Sample.device(Int.random(in: 1...3, using: &draws))
      let numbers = Array(request * 4..<request * 4 + 4)
      let days = Int64.random(in: 1...4, using: &draws)
      // The second half is a day younger than the first.
      let time = { (number: Int) in
        Sample.noon.millisecondsSince1970 - (days - Int64(number % 4 / 2)) * Sample.day + Int64(number)
      }
      #expect(store.ingest(Sample.batch(device, numbers, at: time, received: clock)) == [4, 0, 0])
      expected[device.name, default: []] += numbers.map { "record \($0)" }
    }
    for limit in [1, 3, 1_000] {
      let records = try rest(of: store, behind: SinkPosition(), limit: limit)
      #expect(Dictionary(grouping: records, by: \.device.name).mapValues(names) == expected)
    }
  }

  @Test(arguments: StoreKind.allCases) func aPageEndsWhereTheMarksEnd(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { $0.sinks = ["sink"] }
    _ = store.ingest(Sample.batch([1]))
    let marks = try store.marks()
    _ = store.ingest(Sample.batch([2]))
    let page = try store.reader().records(behind: SinkPosition(), until: marks, limit: 10, bytes: 1_000)
    #expect(names(page.records) == ["record 1"])
    #expect(page.end.count(until: marks) == 0)
    #expect(page.end.count(until: try store.marks()) == 1)
  }

  @Test(arguments: StoreKind.allCases) func aNewSinkBeginsWithWhatComesOrWithWhatIsThere(_ kind: StoreKind) throws {
    for fromStart in [false, true] {
      let store = try TestStore(kind, isKept: true)
      _ = store.ingest(Sample.batch([1, 2]))
      _ = try store.reader()
      try store.reopen { configuration in
        configuration.sinks = ["sink"]
        configuration.sinksBeginAtStart = fromStart
      }
      _ = store.ingest(Sample.batch([3]))
      #expect(names(try rest(of: store)) == (fromStart ? ["record 1", "record 2"] : []) + ["record 3"])
      // What is known of it counts, not what a new one would get.
      try store.reopen { configuration in
        configuration.sinks = ["sink"]
        configuration.sinksBeginAtStart = !fromStart
      }
      #expect(names(try rest(of: store)) == (fromStart ? ["record 1", "record 2"] : []) + ["record 3"])
    }
  }

  @Test(arguments: StoreKind.allCases) func whatWasNotedIsNotSentAgain(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true) { $0.sinks = ["sink"] }
    _ = store.ingest(Sample.batch(Array(0..<10)))
    let page = try store.reader().records(behind: SinkPosition(), until: store.marks(), limit: 4, bytes: 1_000)
    let refusal = SinkRefusal(
      device: Sample.device(), key: page.records[3].key, reason: "status 400", at: Sample.noon.millisecondsSince1970)
    let refused = RefusalCount(total: 7, inRow: 3)
    let advance = SinkAdvance(sink: "sink", position: page.end, refusals: [refusal], refused: refused)
    #expect(store.apply(.advance(advance)) == .changed(1))
    #expect(store.apply(.advance(SinkAdvance(sink: "sink", position: page.end, refused: refused))) == .changed(0))
    #expect(store.apply(.advance(SinkAdvance(sink: "sink", position: SinkPosition(), refused: refused))) == .changed(0))
    #expect(try store.reader().refusals(ofSink: "sink", limit: 10) == [refusal])
    #expect(try store.reader().refusals(ofSink: "other", limit: 10) == [])
    try store.reopen()
    #expect(names(try rest(of: store)) == (4..<10).map { "record \($0)" })
    #expect(try store.reader().position(ofSink: "other") == nil)
    #expect(try store.reader().refusalCount(ofSink: "sink") == refused)
    #expect(try store.reader().refusalCount(ofSink: "other") == RefusalCount())
  }

  /// What an older version has put aside is in the list only.
  @Test(arguments: StoreKind.allCases) func anOlderStoreCountsWhatItLists(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true) { $0.sinks = ["sink"] }
    _ = store.ingest(Sample.batch(Array(0..<3)))
    let page = try store.reader().records(behind: SinkPosition(), until: store.marks(), limit: 2, bytes: 1_000)
    let refusals = page.records.map { SinkRefusal(device: Sample.device(), key: $0.key, reason: "status 400", at: 5) }
    _ = store.apply(.advance(SinkAdvance(sink: "sink", position: page.end, refusals: refusals)))
    store.close()
    if kind == .postgres {
      try PostgresConnection(to: store.place.path).run(
        "ALTER TABLE sinks DROP refused, DROP refused_in_row; UPDATE installation SET version = 3")
    } else {
      try Connection(path: store.place.path + "/store.db").execute(
        """
        ALTER TABLE sinks DROP COLUMN refused; ALTER TABLE sinks DROP COLUMN refused_in_row;
        PRAGMA user_version = 4
        """)
    }
    try store.reopen()
    #expect(try store.reader().refusalCount(ofSink: "sink") == RefusalCount(total: 2))
    #expect(names(try rest(of: store)) == ["record 2"])
  }

  @Test(arguments: StoreKind.allCases) func deletedDevicesArePassedOver(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { $0.sinks = ["sink"] }
    _ = store.ingest(Sample.batch(Sample.device(1), Array(0..<5)))
    _ = store.ingest(Sample.batch(Sample.device(2), Array(5..<8)))
    _ = store.ingest(Sample.batch(Sample.device(3, run: "run"), Array(8..<12)))
    #expect(store.apply(.delete(Sample.device(1))) == .changed(1))
    #expect(store.apply(.reset(run: "run")) == .changed(1))
    #expect(names(try rest(of: store, behind: SinkPosition(), limit: 2)) == ["record 5", "record 6", "record 7"])
    store.settle()
    #expect(names(try rest(of: store, behind: SinkPosition(), limit: 2)) == ["record 5", "record 6", "record 7"])
  }

  /// Rows that a sink has passed and that were deleted are the last of their day: what comes next would get their numbers.
  @Test(arguments: StoreKind.allCases) func aNumberThatASinkHasPassedIsNotUsedAgain(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true) { $0.sinks = ["sink"] }
    _ = store.ingest(Sample.batch(Sample.device(1), [0]))
    _ = store.ingest(Sample.batch(Sample.device(2), Array(1..<9)))
    let page = try store.reader().records(behind: SinkPosition(), until: store.marks(), limit: 9, bytes: 1_000)
    _ = store.apply(.advance(SinkAdvance(sink: "sink", position: page.end)))
    _ = store.apply(.delete(Sample.device(2)))
    store.settle()
    try store.reopen()
    _ = store.ingest(Sample.batch([20, 21]))
    #expect(names(try rest(of: store)) == ["record 20", "record 21"])
  }
}

/// What retention makes of records that have not gone on.
@Suite struct HeldRetentionTests {
  private func fill(_ store: TestStore, days: Range<Int>, perDay: Int, now: WallInstant) {
    for day in days {
      let time = now.millisecondsSince1970 - Int64(day) * Sample.day
      let numbers = Array(day * perDay..<(day + 1) * perDay)
      _ = store.ingest(Sample.batch(numbers, at: { time + Int64($0 % perDay) }), now: now)
    }
  }

  private func sendEverything(_ store: TestStore) throws {
    var end = SinkPosition()
    let marks = try store.marks()
    while end.count(until: marks) > 0 {
      end = try store.reader().records(behind: end, until: marks, limit: 500, bytes: 1_000_000).end
    }
    _ = store.apply(.advance(SinkAdvance(sink: "sink", position: end)))
  }

  @Test(arguments: StoreKind.allCases) func daysWaitForTheirSink(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { configuration in
      configuration.retainDays = 2
      configuration.sinks = ["sink"]
    }
    fill(store, days: 0..<5, perDay: 50, now: Sample.noon)
    store.settle()
    #expect(try store.reader().counts().partitions == 5)
    #expect(store.board.heldPartitions == 2)
    try sendEverything(store)
    let later = Sample.noon.advanced(byMilliseconds: 2_000)
    store.settle(now: later)
    #expect(try store.reader().counts().partitions == 3)
    #expect(store.board.heldPartitions == 0)
    #expect(store.board.lost(by: "sink") == 0)
  }

  @Test(arguments: StoreKind.allCases) func sizeDoesNotWaitAndSaysWhatIsLost(_ kind: StoreKind) throws {
    let store = try TestStore(kind) { configuration in
      configuration.retainBytes = 600_000
      configuration.sinks = ["sink"]
    }
    fill(store, days: 0..<1, perDay: 2_000, now: Sample.noon.advanced(byMilliseconds: -Sample.day))
    try sendEverything(store)
    fill(store, days: 0..<1, perDay: 9_000, now: Sample.noon)
    let tomorrow = Sample.noon.advanced(byMilliseconds: Sample.day)
    fill(store, days: 0..<1, perDay: 10, now: tomorrow)
    store.settle(now: tomorrow)
    #expect(try store.reader().counts().partitions == 1)
    #expect(store.board.lost(by: "sink") == 9_000, "the first day had gone on")
    let position = try #require(try store.reader().position(ofSink: "sink"))
    let page = try store.reader().records(behind: position, until: store.marks(), limit: 20, bytes: 1_000)
    #expect(page.records.count == 10, "what came last still goes on")
    if kind == .sqlite { #expect(position == SinkPosition(), "nothing is left of days that are gone") }
  }
}
