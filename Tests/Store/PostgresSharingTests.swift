import Base
import Database
import PostgresStore
import Store
import Support
import Synchronization
import Testing
import Threads

/// What servers of one database know of each other, and what they must not miss.
@Suite(.timeLimit(.minutes(10)), .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct PostgresSharingTests {
  private let place: String

  init() throws { place = try PostgresCluster.shared.get().place() }

  private func store() throws -> PostgresStore { try PostgresStore(at: place, StoreConfiguration(folder: "")) }

  /// Until an answer of the database says so: the test's time limit is the end of the waiting.
  private func eventually(_ condition: () throws -> Bool) throws {
    while try !condition() { try #require(!Task.isCancelled, "not within the time limit") }
  }

  /// Until the connection of this name waits for a lock that another one holds.
  private func waitUntilItWaits(_ name: String, _ administrator: PostgresConnection) throws {
    try eventually {
      try administrator.perform(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock')"
      ).flag(0, 0)
    }
  }

  private func numbers(_ batches: [IngestBatch]) -> [UInt64] { batches.flatMap { $0.points.map(\.uuid.low) } }

  @Test func aFeedTellsEachRecordOnceAndWhoseItIs() throws {
    let (one, other) = (try store(), try store())
    _ = one.apply(.ingest(Sample.batch([0])))
    let feed = try ChangeFeed(to: place, behind: ArrivalCursor(group: 0, row: 0))
    var batches: [IngestBatch] = []
    func follow(until count: Int) throws {
      try eventually {
        batches += try feed.next()
        return numbers(batches).count >= count
      }
    }
    try follow(until: 1)
    var event = Sample.batch(Sample.device(1, run: "night"), [1, 2])
    event.points[0].event = nil
    _ = one.apply([.ingest(event), .ingest(Sample.batch([3]))], now: Sample.noon)
    _ = other.apply(.ingest(Sample.batch(Sample.device(2), [4])))
    let later = Sample.noon.advanced(byMilliseconds: 9)
    _ = other.apply(.ingest(Sample.batch(Sample.device(2), [5], received: later)))
    try follow(until: 6)
    // More than it reads at once.
    _ = other.apply(.ingest(Sample.batch(Array(10..<4_510))))
    try follow(until: 4_506)
    #expect(numbers(batches) == [0, 1, 2, 3, 4, 5] + Array(10..<4_510))
    #expect(try feed.next().isEmpty)
    let first = batches.prefix(5)
    #expect(
      first.map(\.device) == [
        Sample.device(), Sample.device(1, run: "night"), Sample.device(), Sample.device(2), Sample.device(2),
      ])
    #expect(first.map(\.receivedAt) == [Sample.noon, Sample.noon, Sample.noon, Sample.noon, later])
    #expect(batches[1].points.map(\.event) == [nil, "motionchange"] && batches[1].points.map(\.latitude) == [1, 2])
    #expect(
      batches[1].points.map { String(decoding: batches[1].bytes[$0.record], as: UTF8.self) } == [
        "record 1", "record 2",
      ])
  }

  /// What is passed over is what was there: not what comes behind it.
  @Test func aFeedThatPassesOverWhatIsThereTellsWhatComes() throws {
    let store = try store()
    _ = store.apply(.ingest(Sample.batch([0])))
    let feed = try ChangeFeed(to: place, behind: nil)
    let administrator = try PostgresConnection(to: place)
    // Of other tests, transactions may be open: until then the first record is not passed over.
    try eventually {
      _ = try feed.skip { false }
      return try administrator.perform(
        "SELECT max(arrived_in) <= \(feed.position.group) FROM points"
      ).flag(0, 0)
    }
    _ = store.apply(.ingest(Sample.batch([1])))
    var found: [UInt64] = []
    try eventually {
      found += numbers(try feed.next())
      return !found.isEmpty
    }
    #expect(found == [1])
  }

  /// A wait may begin while a feed finds out what it is to pass over: what is stored for the wait is behind that.
  @Test(arguments: [false, true]) func whatIsStoredWhileAFeedPassesOverIsTold(isWanted: Bool) throws {
    let store = try store()
    let feed = try ChangeFeed(to: place, behind: ArrivalCursor(group: 0, row: 0))
    let isPassed = try feed.skip {
      _ = store.apply(.ingest(Sample.batch([1])))
      return isWanted
    }
    #expect(isPassed == !isWanted)
    var found: [UInt64] = []
    try eventually {
      found += numbers(try feed.next())
      return !found.isEmpty
    }
    #expect(found == [1])
  }

  /// A transaction that began earlier commits later: its records have a place in front of those that are there already.
  @Test func whatIsCommittedLateIsMissedByNoFeed() throws {
    let early = try store()
    let (one, two) = (Sample.device(1), Sample.device(2))
    _ = early.apply([.ingest(Sample.batch(one, [1])), .ingest(Sample.batch(two, [2]))], now: Sample.noon)
    let reader = try PostgresReader(to: place)
    let feed = try ChangeFeed(to: place, behind: ArrivalCursor(group: 0, row: 0))
    let (holder, administrator) = (try PostgresConnection(to: place), try PostgresConnection(to: place))
    var (told, sent): ([UInt64], [UInt64]) = ([], [])
    var position = SinkPosition(behind: ArrivalCursor(group: 0, row: 0))
    let board = ArrivalBoard()
    board.publish(end: ArrivalCursor(group: .max, row: .max))
    func read() throws {
      told += numbers(try feed.next())
      let more = try reader.records(behind: position, until: board.marks, limit: 100, bytes: 10_000)
      sent += more.records.map(\.key.uuid.low)
      position = more.end
    }
    try eventually {
      try read()
      return told.count == 2 && sent.count == 2
    }
    try holder.run("BEGIN")
    _ = try holder.perform("SELECT * FROM devices WHERE name = 'device-2' FOR UPDATE")
    let place = place + "&application_name=late"
    let thread = try NamedThread.opening("late") { () throws(StoreError) in
      try PostgresStore(at: place, StoreConfiguration(folder: ""))
    } run: { late in
      #expect(late.apply(.ingest(Sample.batch(two, [20]))) == .ingested(IngestReceipt(accepted: 1)))
    }
    try waitUntilItWaits("late", administrator)
    #expect(early.apply(.ingest(Sample.batch(one, [10]))) == .ingested(IngestReceipt(accepted: 1)))
    try read()
    try holder.run("ROLLBACK")
    thread.join()
    try eventually {
      try read()
      return told.contains(10) && sent.contains(10)
    }
    for found in [told, sent] { #expect(found.sorted() == [1, 2, 10, 20] && found.count == 4) }
  }

  /// Another program's transaction may stay open for hours: a feed waits for it, a question does not.
  @Test func anOpenTransactionHidesNothingFromAQuestion() throws {
    let store = try store()
    let reader = try PostgresReader(to: place)
    let feed = try ChangeFeed(to: place, behind: ArrivalCursor(group: 0, row: 0))
    let other = try PostgresConnection(to: place)
    try other.run("BEGIN")
    _ = try other.perform("SELECT pg_current_xact_id()::text")
    _ = store.apply(.ingest(Sample.batch([1])))
    let selection = RecordSelection(KeySelection(run: ""))
    #expect(try feed.next().isEmpty)
    #expect(try reader.arrivals(selection, after: nil, limit: 10).elements.map(\.key.uuid.low) == [1])
    #expect(try reader.count(selection, after: nil).count == 1)
    #expect(try reader.keys(selection.keys, after: nil, limit: 10).elements.map(\.key.uuid.low) == [1])
    let unsettled = try #require(try reader.settledArrivals())
    #expect(try reader.arrivals(selection, after: unsettled, limit: 10).elements.map(\.key.uuid.low) == [1])
    try other.run("ROLLBACK")
    var told: [UInt64] = []
    try eventually {
      told += numbers(try feed.next())
      return !told.isEmpty
    }
    #expect(told == [1])
  }

  /// What the database holds back waits for a sink all the same.
  @Test func aSinkThatIsHeldBackHasALag() throws {
    var configuration = StoreConfiguration(folder: "")
    configuration.sinks = ["bus"]
    let store = try PostgresStore(at: place, configuration)
    let feed = try ChangeFeed(to: place, behind: nil)
    #expect(try feed.lags(of: ["bus"]) == ["bus": SinkLag(records: 0, since: nil)])
    let other = try PostgresConnection(to: place)
    try other.run("BEGIN")
    _ = try other.perform("SELECT pg_current_xact_id()::text")
    _ = store.apply(.ingest(Sample.batch([1, 2])))
    let since = Sample.noon.millisecondsSince1970
    #expect(try feed.lags(of: ["bus"]) == ["bus": SinkLag(records: 2, since: since)])
    try other.run("ROLLBACK")
  }

  /// PostgreSQL chooses partitions before it waits for their locks, and looks at the data behind that.
  @Test(arguments: ["walk", "sink", "feed", "look"]) func aDayThatIsAddedMeanwhileHidesNothing(question: String) throws
  {
    let store = try store()
    _ = store.apply(.ingest(Sample.batch([1])))
    _ = store.apply(.ingest(Sample.batch([2])))
    let (holder, administrator) = (try PostgresConnection(to: place), try PostgresConnection(to: place))
    try eventually {
      try administrator.perform("SELECT max(arrived_in) < (SELECT arrival_horizon()) FROM points").flag(0, 0)
    }
    // Another server adds a day, and the record that had come first is of this day.
    try holder.run("BEGIN")
    _ = try holder.perform("SELECT make_day(recorded_at / 86400000 + 40) FROM points ORDER BY arrived_in LIMIT 1")
    _ = try holder.perform(
      """
      UPDATE points SET recorded_at = recorded_at + 40 * 86400000::int8
      WHERE arrived_in = (SELECT min(arrived_in) FROM points)
      """)
    let place = place + "&application_name=asks"
    let found = Mutex<[UInt64]>([])
    let thread = try NamedThread.opening("asks") { () throws(StoreError) in
      (reader: try PostgresReader(to: place), feed: try ChangeFeed(to: place, behind: ArrivalCursor(group: 0, row: 0)))
    } run: { asking in
      do throws(StoreError) {
        let answer = try Self.answer(to: question, asking.reader, asking.feed)
        found.withLock { $0 = answer }
      } catch { Issue.record("\(error)") }
    }
    try waitUntilItWaits("asks", administrator)
    try holder.run("COMMIT")
    thread.join()
    #expect(found.withLock { $0 } == [1, 2])
  }

  private static func answer(
    to question: String, _ reader: PostgresReader, _ feed: ChangeFeed
  ) throws(StoreError) -> [UInt64] {
    switch question {
    case "walk":
      return try reader.arrivals(RecordSelection(KeySelection(run: "")), after: nil, limit: 100).elements
        .map(\.key.uuid.low)
    case "sink":
      let board = ArrivalBoard()
      board.publish(end: ArrivalCursor(group: .max, row: .max))
      let start = SinkPosition(behind: ArrivalCursor(group: 0, row: 0))
      return try reader.records(behind: start, until: board.marks, limit: 100, bytes: 10_000).records
        .map(\.key.uuid.low)
    case "feed": return try feed.next().flatMap { $0.points.map(\.uuid.low) }
    default: return try reader.keys(KeySelection(run: ""), after: nil, limit: 100).elements.map(\.key.uuid.low)
    }
  }

  /// A record that another server stores into a day while this one looks whether all of it has gone on.
  @Test func aDayThatGetsARecordMeanwhileIsNotGivenUp() throws {
    @Sendable func store(at place: String) throws(StoreError) -> PostgresStore {
      var configuration = StoreConfiguration(folder: "", retainDays: 2)
      configuration.sinks = ["sink"]
      return try PostgresStore(at: place, configuration)
    }
    let first = try store(at: place)
    let old = Sample.noon.advanced(byMilliseconds: -2 * Sample.day)
    _ = first.apply(.ingest(Sample.batch([1], at: { _ in old.millisecondsSince1970 })), now: old)
    let (other, administrator) = (try PostgresConnection(to: place), try PostgresConnection(to: place))
    try eventually {
      try administrator.perform("SELECT max(arrived_in) < arrival_horizon() FROM points GROUP BY ()").flag(0, 0)
    }
    try administrator.run("UPDATE sinks SET arrived_in = (SELECT max(arrived_in) FROM points), n = 2147483647")
    try other.run("BEGIN")
    _ = try other.perform(
      """
      INSERT INTO points(recorded_at, device, received_at, arrived_in, uuid, n, record)
      SELECT recorded_at + 1, device, received_at, arrival_now(), uuid, 0, record FROM points
      """)
    let place = place + "&application_name=retires"
    let thread = try NamedThread.opening("retires") { () throws(StoreError) in
      try store(at: place)
    } run: { store in
      store.settle(now: Sample.noon.advanced(byMilliseconds: Sample.day))
      #expect(store.outage == nil)
    }
    try waitUntilItWaits("retires", administrator)
    try other.run("COMMIT")
    thread.join()
    #expect(try administrator.perform("SELECT count(*) FROM points").integer(0, 0) == 2)
    try administrator.run("UPDATE sinks SET arrived_in = (SELECT max(arrived_in) FROM points)")
    first.settle(now: Sample.noon.advanced(byMilliseconds: Sample.day))
    #expect(try administrator.perform("SELECT count(*) FROM points").integer(0, 0) == 0)
  }

  /// At midnight all servers look for days that have expired, and one drops them first.
  @Test func aDayThatAnotherServerDropsMeanwhileIsNoOutage() throws {
    @Sendable func store(at place: String) throws(StoreError) -> PostgresStore {
      var configuration = StoreConfiguration(folder: "", retainDays: 2)
      configuration.sinks = ["sink"]
      return try PostgresStore(at: place, configuration)
    }
    let old = Sample.noon.advanced(byMilliseconds: -2 * Sample.day)
    _ = try store(at: place).apply(.ingest(Sample.batch([1], at: { _ in old.millisecondsSince1970 })), now: old)
    let (other, administrator) = (try PostgresConnection(to: place), try PostgresConnection(to: place))
    let place = place + "&application_name=retires"
    let dropped = Semaphore()
    let thread = try NamedThread.opening("retires") { () throws(StoreError) in
      try store(at: place)
    } run: { store in
      dropped.wait()
      store.settle(now: Sample.noon.advanced(byMilliseconds: Sample.day))
      #expect(store.outage == nil)
      store.settle(now: Sample.noon.advanced(byMilliseconds: Sample.day + 1_000))
      #expect(store.outage == nil)
    }
    try other.run("BEGIN")
    _ = try other.perform("SELECT drop_day(day) FROM partitions")
    dropped.signal()
    try waitUntilItWaits("retires", administrator)
    try other.run("COMMIT")
    thread.join()
  }

  @Test func oneServerLeadsASinkUntilItsSessionEnds() throws {
    _ = try store()
    let elsewhere = try PostgresCluster.shared.get().place()
    _ = try PostgresStore(at: elsewhere, StoreConfiguration(folder: ""))
    let one = SinkLock(of: "hook", at: place, as: "leader")
    let other = SinkLock(of: "hook", at: place, as: "other")
    #expect(one.isHeld() && !other.isHeld())
    #expect(SinkLock(of: "bus", at: place, as: "other").isHeld(), "another sink")
    #expect(SinkLock(of: "hook", at: elsewhere, as: "other").isHeld(), "another store")
    #expect(one.isHeld() && !other.isHeld())
    let administrator = try PostgresConnection(to: place)
    _ = try administrator.perform(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rollingroad leader'")
    try eventually { other.isHeld() }
    #expect(!one.isHeld(), "another one leads")
    #expect(!one.isHeld() && other.isHeld())
  }

  @Test func aDocumentIsThatOfItsLastChange() throws {
    _ = try store()
    let documents = SharedDocuments(at: place)
    let feed = try ChangeFeed(to: place, behind: nil)
    func found() throws -> [String] {
      try feed.documents().map { "\($0.kind) \($0.run) \(String(decoding: $0.bytes, as: UTF8.self))" }.sorted()
    }
    let first = try documents.put(Array("1".utf8), "faults", of: "")
    _ = try documents.put(Array("map".utf8), "map", of: "")
    _ = try documents.put(Array("night".utf8), "faults", of: "night\0")
    let second = try documents.put(Array("2".utf8), "faults", of: "")
    #expect(second > first)
    #expect(try feed.documents().first { $0.kind == "faults" && $0.run == "" }?.change == second)
    #expect(try found() == ["faults  2", "faults night\0 night", "map  map"])
    #expect(try feed.wait(milliseconds: 60_000).contains(.documents))
    try documents.clear(run: "night\0")
    #expect(try found() == ["faults  2", "map  map"])
    try documents.remove("faults", of: "")
    #expect(try found() == ["map  map"])
    let third = try documents.put(Array("3".utf8), "faults", of: "")
    #expect(third > second, "a document that was taken away and comes again is a new one")
    try documents.clear(run: nil)
    #expect(try found() == [])
  }
}
