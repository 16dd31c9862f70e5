import Base
import Database
import Store
import Support
import Testing

@Suite struct ForwardingTests {
  private let board = ArrivalBoard()

  private func configuration(_ folder: String = ":memory:", fromStart: Bool = false) -> StoreConfiguration {
    var configuration = StoreConfiguration(folder: folder)
    configuration.sinks = ["sink"]
    configuration.sinksBeginAtStart = fromStart
    return configuration
  }

  /// What a sink would get from here on, by pages.
  private func rest(
    of store: SQLiteStore, behind position: SinkPosition? = nil, limit: Int = 7, bytes: Int = 1_000_000
  ) throws -> [ArrivedRecord] {
    let reader = try store.open()
    var end = try position ?? #require(try reader.position(ofSink: "sink"))
    var records: [ArrivedRecord] = []
    while end.count(until: board.marks) > 0 {
      let page = try reader.records(behind: end, until: board.marks, limit: limit, bytes: bytes)
      #expect(page.records.count <= limit)
      #expect(page.end != end, "each page is a step")
      records += page.records
      end = page.end
    }
    return records
  }

  private func names(_ records: [ArrivedRecord]) -> [String] {
    records.map { String(decoding: $0.record, as: UTF8.self) }
  }

  @Test func recordsGoInTheOrderOfTheirArrivalWhateverTheirDays() throws {
    let store = try SQLiteStore(configuration(), board: board)
    var expected: [String] = []
    // Each request carries records of three days, newest and oldest in turn.
    for request in 0..<20 {
      let received = Sample.noon.advanced(byMilliseconds: Int64(request))
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

  @Test func aPageEndsWhereTheMarksEnd() throws {
    let store = try SQLiteStore(configuration(), board: board)
    _ = store.ingest(Sample.batch([1]))
    let marks = board.marks
    _ = store.ingest(Sample.batch([2]))
    let page = try store.open().records(behind: SinkPosition(), until: marks, limit: 10, bytes: 1_000)
    #expect(names(page.records) == ["record 1"])
    #expect(page.end.count(until: marks) == 0)
    #expect(page.end.count(until: board.marks) == 1)
  }

  @Test func aNewSinkBeginsWithWhatComesOrWithWhatIsThere() throws {
    for fromStart in [false, true] {
      let folder = try TemporaryFolder()
      do {
        let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
        _ = store.ingest(Sample.batch([1, 2]))
        store.close()
      }
      do {
        let store = try SQLiteStore(configuration(folder.path, fromStart: fromStart), board: board)
        _ = store.ingest(Sample.batch([3]))
        #expect(names(try rest(of: store)) == (fromStart ? ["record 1", "record 2"] : []) + ["record 3"])
        store.close()
      }
      // What is known of it counts, not what a new one would get.
      let again = try SQLiteStore(configuration(folder.path, fromStart: !fromStart), board: board)
      #expect(names(try rest(of: again)) == (fromStart ? ["record 1", "record 2"] : []) + ["record 3"])
    }
  }

  @Test func whatWasNotedIsNotSentAgain() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try SQLiteStore(configuration(folder.path), board: board)
      _ = store.ingest(Sample.batch(Array(0..<10)))
      let page = try store.open().records(behind: SinkPosition(), until: board.marks, limit: 4, bytes: 1_000)
      let refusal = SinkRefusal(
        device: Sample.device(), key: page.records[3].key, reason: "status 400", at: Sample.noon.millisecondsSince1970)
      #expect(
        store.apply(.advance(SinkAdvance(sink: "sink", position: page.end, refusals: [refusal]))) == .changed(1))
      #expect(store.apply(.advance(SinkAdvance(sink: "sink", position: page.end))) == .changed(0))
      #expect(store.apply(.advance(SinkAdvance(sink: "sink", position: SinkPosition()))) == .changed(0))
      #expect(try store.open().refusals(ofSink: "sink", limit: 10) == [refusal])
      #expect(try store.open().refusals(ofSink: "other", limit: 10) == [])
      store.close()
    }
    let store = try SQLiteStore(configuration(folder.path), board: board)
    #expect(names(try rest(of: store)) == (4..<10).map { "record \($0)" })
    #expect(try store.open().position(ofSink: "other") == nil)
  }

  @Test func deletedDevicesArePassedOver() throws {
    let store = try SQLiteStore(configuration(), board: board)
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
  @Test func aNumberThatASinkHasPassedIsNotUsedAgain() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try SQLiteStore(configuration(folder.path), board: board)
      _ = store.ingest(Sample.batch(Sample.device(1), [0]))
      _ = store.ingest(Sample.batch(Sample.device(2), Array(1..<9)))
      let page = try store.open().records(behind: SinkPosition(), until: board.marks, limit: 9, bytes: 1_000)
      _ = store.apply(.advance(SinkAdvance(sink: "sink", position: page.end)))
      _ = store.apply(.delete(Sample.device(2)))
      store.settle()
      store.close()
    }
    let store = try SQLiteStore(configuration(folder.path), board: board)
    _ = store.ingest(Sample.batch([20, 21]))
    #expect(names(try rest(of: store)) == ["record 20", "record 21"])
  }
}

/// What retention makes of records that have not gone on.
@Suite struct HeldRetentionTests {
  private let board = ArrivalBoard()
  private let reader = "sink"

  private func fill(_ store: SQLiteStore, days: Range<Int>, perDay: Int, now: WallInstant) {
    for day in days {
      let time = now.millisecondsSince1970 - Int64(day) * Sample.day
      let numbers = Array(day * perDay..<(day + 1) * perDay)
      _ = store.ingest(Sample.batch(numbers, at: { time + Int64($0 % perDay) }), now: now)
    }
  }

  private func sendEverything(_ store: SQLiteStore) throws {
    var end = SinkPosition()
    while end.count(until: board.marks) > 0 {
      end = try store.open().records(behind: end, until: board.marks, limit: 500, bytes: 1_000_000).end
    }
    _ = store.apply(.advance(SinkAdvance(sink: "sink", position: end)))
  }

  @Test func daysWaitForTheirSink() throws {
    var configuration = StoreConfiguration(folder: ":memory:", retainDays: 2)
    configuration.sinks = ["sink"]
    let store = try SQLiteStore(configuration, board: board)
    fill(store, days: 0..<5, perDay: 50, now: Sample.noon)
    store.settle()
    #expect(try store.open().counts().partitions == 5)
    #expect(board.heldPartitions == 2)
    try sendEverything(store)
    let later = Sample.noon.advanced(byMilliseconds: 2_000)
    store.settle(now: later)
    #expect(try store.open().counts().partitions == 3)
    #expect(board.heldPartitions == 0)
    #expect(board.lost(by: "sink") == 0)
  }

  @Test func sizeDoesNotWaitAndSaysWhatIsLost() throws {
    var configuration = StoreConfiguration(folder: ":memory:", retainBytes: 600_000)
    configuration.sinks = ["sink"]
    let store = try SQLiteStore(configuration, board: board)
    fill(store, days: 0..<1, perDay: 2_000, now: Sample.noon.advanced(byMilliseconds: -Sample.day))
    try sendEverything(store)
    fill(store, days: 0..<1, perDay: 9_000, now: Sample.noon)
    let tomorrow = Sample.noon.advanced(byMilliseconds: Sample.day)
    fill(store, days: 0..<1, perDay: 10, now: tomorrow)
    store.settle(now: tomorrow)
    #expect(try store.open().counts().partitions == 1)
    #expect(board.lost(by: "sink") == 9_000, "the first day had gone on")
    #expect(try store.open().position(ofSink: "sink") == SinkPosition(), "nothing is left of days that are gone")
  }
}
