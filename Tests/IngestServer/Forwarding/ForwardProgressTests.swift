import Base
import Store
import Testing

@testable import IngestServer

@Suite struct ForwardProgressTests {
  private let board = ArrivalBoard()
  private let start = MonotonicInstant(nanoseconds: 1_000)

  /// Behind this many records of one device.
  private func progress(
    _ count: Int, portion: Int = 100, page: Int? = nil, refused: RefusalCount = RefusalCount()
  ) throws -> (ForwardProgress, SQLiteStore) {
    var configuration = StoreConfiguration(folder: ":memory:")
    configuration.sinks = ["sink"]
    let store = try SQLiteStore(configuration, board: board)
    let record = Array(#"{"a":1}"#.utf8)
    let points = (0..<count).map {
      Point(
        recordedAt: 1_795_176_000_000 + Int64($0), uuid: UUID128(high: 1, low: UInt64($0)), record: 0..<record.count)
    }
    let batch = IngestBatch(
      device: DeviceIdentity(name: "a"), receivedAt: WallInstant(millisecondsSince1970: 1_795_176_000_000),
      bytes: record, points: points)
    _ = store.apply([.ingest(batch)], now: batch.receivedAt)
    var progress = ForwardProgress(at: SinkPosition(), refused, portionMax: portion)
    let reader = try #require(store.reader)
    progress.load(
      try reader.records(behind: SinkPosition(), until: board.marks, limit: page ?? count, bytes: 1_000_000))
    return (progress, store)
  }

  /// Everything that waits, read again.
  private func readAgain(_ progress: inout ForwardProgress, _ store: SQLiteStore) throws {
    progress.drop()
    let reader = try #require(store.reader)
    progress.load(try reader.records(behind: progress.position, until: board.marks, limit: 1_000, bytes: 1_000_000))
  }

  /// The numbers of the records that are sent next.
  private func numbers(_ progress: ForwardProgress) -> [UInt64] { progress.next.map(\.arrival.key.uuid.low) }

  private func note(
    _ progress: inout ForwardProgress, _ taken: Int, _ trouble: SinkRejection? = nil, chance: Double = 0
  ) {
    progress.note(SinkAnswer(taken: taken, trouble), since: start, now: start, wall: 5, chance: chance)
  }

  @Test func whatIsTakenIsPassed() throws {
    var (progress, _) = try progress(5, portion: 3)
    #expect(numbers(progress) == [0, 1, 2])
    note(&progress, 3)
    #expect(numbers(progress) == [3, 4])
    #expect(progress.position.count(until: board.marks) == 2)
    note(&progress, 2)
    #expect(progress.isEmpty && progress.sent == 5 && progress.position.count(until: board.marks) == 0)
  }

  @Test func pausesGrowToTheirBoundAndEndWithTheFirstSuccess() throws {
    var (progress, _) = try progress(3)
    var pauses: [Int64] = []
    for _ in 0..<10 {
      note(&progress, 0, .later(reason: "refused"))
      pauses.append(try (#require(progress.pausesUntil) - start).wholeMilliseconds)
    }
    #expect(pauses == [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    note(&progress, 0, .later(reason: "refused"), chance: 0.999_999)
    #expect(try (#require(progress.pausesUntil) - start).wholeMilliseconds == 59_999, "the jitter is the second half")
    #expect(numbers(progress) == [0, 1, 2] && progress.retried == 11 && progress.trouble == "refused")
    note(&progress, 1)
    #expect(progress.trouble == nil && progress.pausesUntil == nil)
    note(&progress, 0, .later(reason: "again"))
    #expect(try (#require(progress.pausesUntil) - start).wholeMilliseconds == 250)
  }

  /// "The same request again": a webhook that has stored the first, and whose answer was lost, knows it by its key.
  @Test func whatHasComeMeanwhileIsNotInARepetition() throws {
    var (progress, store) = try progress(5, page: 2)
    for _ in 0..<3 {
      #expect(numbers(progress) == [0, 1])
      note(&progress, 0, .later(reason: "refused"))
      try readAgain(&progress, store)
    }
    note(&progress, 2)
    #expect(numbers(progress) == [2, 3, 4])
    // Of a stream, which may have taken some.
    note(&progress, 2, .later(reason: "full"))
    #expect(numbers(progress) == [4])
    note(&progress, 1)
    #expect(progress.isEmpty && progress.sent == 5)
  }

  @Test func whatASinkAsksForCounts() throws {
    var (progress, _) = try progress(1)
    note(&progress, 0, .later(after: .seconds(7), reason: "busy"), chance: 0.5)
    #expect(try #require(progress.pausesUntil) - start == .seconds(7))
    note(&progress, 0, .later(after: .seconds(86_400), reason: "busy"))
    #expect(try #require(progress.pausesUntil) - start == .seconds(3_600), "no longer than an hour")
    // Of 2 s, from a half on: 0, or a date in the past, would let it be asked at once and without end.
    note(&progress, 0, .later(after: .zero, reason: "busy"))
    #expect(try #require(progress.pausesUntil) - start == .seconds(1))
  }

  /// Plays a sink that refuses requests with these records.
  private func play(_ progress: inout ForwardProgress, refusing bad: Set<UInt64>, requests: Int = 10_000) -> [UInt64] {
    var taken: [UInt64] = []
    for _ in 0..<requests where !progress.isEmpty {
      let sent = numbers(progress)
      if sent.contains(where: bad.contains) {
        note(&progress, 0, .refused(count: sent.count, reason: "status 400"))
      } else {
        taken += sent
        note(&progress, sent.count)
      }
    }
    return taken
  }

  @Test func theRecordsThatAreRefusedAreFoundAndTheOthersGoInOrder() throws {
    var (progress, _) = try progress(100)
    let bad: Set<UInt64> = [0, 41, 42, 99]
    #expect(play(&progress, refusing: bad) == (0..<100).filter { !bad.contains($0) })
    #expect(progress.refusals.map(\.key.uuid.low) == [0, 41, 42, 99])
    #expect(progress.refusals.allSatisfy { $0.reason == "status 400" && $0.at == 5 && $0.device.name == "a" })
    #expect(progress.sent == 96 && progress.refused == 4 && progress.retried == 0)
    progress.forget(refusals: 3)
    #expect(progress.refusals.map(\.key.uuid.low) == [99])
  }

  @Test func aSinkThatRefusesEverythingIsWaitedFor() throws {
    var (progress, _) = try progress(100)
    #expect(play(&progress, refusing: Set(0..<100), requests: 200) == [])
    #expect(progress.refused == 16)
    #expect(numbers(progress) == [16] && progress.pausesUntil != nil)
    #expect(progress.trouble == "refuses every record: status 400")
    #expect(play(&progress, refusing: []) == Array(16..<100))
    #expect(progress.trouble == nil)
  }

  /// The counts are those of the store, from before a restart or of another leader.
  @Test func refusalsInARowAreCountedFromCourseToCourse() throws {
    var (progress, _) = try progress(100, refused: RefusalCount(total: 40, inRow: 14))
    #expect(play(&progress, refusing: Set(0..<100), requests: 200) == [])
    #expect(progress.refused == 2 && progress.refusalCount == RefusalCount(total: 42, inRow: 16))
    #expect(numbers(progress) == [2] && progress.trouble == "refuses every record: status 400")
    #expect(play(&progress, refusing: [50]) == (2..<100).filter { $0 != 50 })
    #expect(progress.refusalCount == RefusalCount(total: 43, inRow: 0))
  }

  /// A request that is given up has taken its time.
  @Test func aSinkThatHangsIsToldWhenItsRequestHasEnded() throws {
    var (progress, _) = try progress(2)
    var account = SinkAccount()
    func notices(_ now: MonotonicInstant) -> [SinkNotice] { account.note(progress, lost: 0, lag: { 9 }, now: now) }
    let end = start + .seconds(30)
    progress.note(SinkAnswer(taken: 0, .later(reason: "hangs")), since: start, now: end, wall: 5, chance: 0)
    #expect(notices(end) == [.stuck(reason: "hangs")])
    note(&progress, 2)
    #expect(notices(end) == [.resumed(after: .seconds(30), lag: 9)])
  }

  @Test func noticesAreFew() throws {
    var (progress, _) = try progress(50)
    var account = SinkAccount()
    let at = { (seconds: Int64) in start + .seconds(seconds) }
    func notices(_ seconds: Int64, lost: Int64 = 0, isLast: Bool = false) -> [SinkNotice] {
      account.note(progress, lost: lost, lag: { 9 }, now: at(seconds), isLast: isLast)
    }
    note(&progress, 0, .later(reason: "gone"))
    #expect(notices(0) == [] && notices(9) == [])
    #expect(notices(10) == [.stuck(reason: "gone")] && notices(500) == [])
    note(&progress, 1)
    #expect(notices(501) == [.resumed(after: .seconds(501), lag: 9)])
    note(&progress, 0, .refused(count: 1, reason: "status 400"))
    #expect(notices(502) == [.refused(1, reason: "status 400")])
    note(&progress, 0, .refused(count: 1, reason: "status 400"))
    note(&progress, 0, .refused(count: 1, reason: "status 413"))
    #expect(notices(503) == [] && notices(561) == [])
    #expect(notices(562) == [.refused(2, reason: "status 413")])
    #expect(notices(563, lost: 7) == [.lost(7)] && notices(564, lost: 7) == [])
    #expect(notices(565, lost: 8) == [] && notices(622, lost: 9) == [] && notices(623, lost: 9) == [.lost(9)])
    note(&progress, 0, .refused(count: 1, reason: "status 400"))
    #expect(notices(624, lost: 9) == [.refused(1, reason: "status 400")])
    note(&progress, 0, .refused(count: 1, reason: "status 413"))
    #expect(notices(625, lost: 10) == [])
    #expect(notices(625, lost: 10, isLast: true) == [.refused(1, reason: "status 413"), .lost(10)])
    #expect(notices(625, lost: 10, isLast: true) == [])
  }
}
