import Base
import Store
import Testing

@testable import IngestServer

@Suite struct ForwardCourseTests {
  private let board = ArrivalBoard()
  private let start = MonotonicInstant(nanoseconds: 1_000)

  /// Behind this many records of one device.
  private func course(
    _ count: Int, portion: Int = 100, page: Int? = nil, refused: RefusalCount = RefusalCount()
  ) throws -> (ForwardCourse, SQLiteStore) {
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
    var course = ForwardCourse(at: SinkPosition(), refused, portionMax: portion)
    let reader = try #require(store.reader)
    course.load(try reader.records(behind: SinkPosition(), until: board.marks, limit: page ?? count, bytes: 1_000_000))
    return (course, store)
  }

  /// Everything that waits, read again.
  private func readAgain(_ course: inout ForwardCourse, _ store: SQLiteStore) throws {
    course.drop()
    let reader = try #require(store.reader)
    course.load(try reader.records(behind: course.position, until: board.marks, limit: 1_000, bytes: 1_000_000))
  }

  /// The numbers of the records that are sent next.
  private func numbers(_ course: ForwardCourse) -> [UInt64] { course.next.map(\.arrival.key.uuid.low) }

  private func note(_ course: inout ForwardCourse, _ taken: Int, _ trouble: SinkRejection? = nil, chance: Double = 0) {
    course.note(SinkAnswer(taken: taken, trouble), since: start, now: start, wall: 5, chance: chance)
  }

  @Test func whatIsTakenIsPassed() throws {
    var (course, _) = try course(5, portion: 3)
    #expect(numbers(course) == [0, 1, 2])
    note(&course, 3)
    #expect(numbers(course) == [3, 4])
    #expect(course.position.count(until: board.marks) == 2)
    note(&course, 2)
    #expect(course.isEmpty && course.sent == 5 && course.position.count(until: board.marks) == 0)
  }

  @Test func pausesGrowToTheirBoundAndEndWithTheFirstSuccess() throws {
    var (course, _) = try course(3)
    var pauses: [Int64] = []
    for _ in 0..<10 {
      note(&course, 0, .later(reason: "refused"))
      pauses.append(try (#require(course.pausesUntil) - start).wholeMilliseconds)
    }
    #expect(pauses == [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    note(&course, 0, .later(reason: "refused"), chance: 0.999_999)
    #expect(try (#require(course.pausesUntil) - start).wholeMilliseconds == 59_999, "the jitter is the second half")
    #expect(numbers(course) == [0, 1, 2] && course.retried == 11 && course.trouble == "refused")
    note(&course, 1)
    #expect(course.trouble == nil && course.pausesUntil == nil)
    note(&course, 0, .later(reason: "again"))
    #expect(try (#require(course.pausesUntil) - start).wholeMilliseconds == 250)
  }

  /// "The same request again": a webhook that has stored the first, and whose answer was lost, knows it by its key.
  @Test func whatHasComeMeanwhileIsNotInARepetition() throws {
    var (course, store) = try course(5, page: 2)
    for _ in 0..<3 {
      #expect(numbers(course) == [0, 1])
      note(&course, 0, .later(reason: "refused"))
      try readAgain(&course, store)
    }
    note(&course, 2)
    #expect(numbers(course) == [2, 3, 4])
    // Of a stream, which may have taken some.
    note(&course, 2, .later(reason: "full"))
    #expect(numbers(course) == [4])
    note(&course, 1)
    #expect(course.isEmpty && course.sent == 5)
  }

  @Test func whatASinkAsksForCounts() throws {
    var (course, _) = try course(1)
    note(&course, 0, .later(after: .seconds(7), reason: "busy"), chance: 0.5)
    #expect(try #require(course.pausesUntil) - start == .seconds(7))
    note(&course, 0, .later(after: .seconds(86_400), reason: "busy"))
    #expect(try #require(course.pausesUntil) - start == .seconds(3_600), "no longer than an hour")
    // Of 2 s, from a half on: 0, or a date in the past, would let it be asked at once and without end.
    note(&course, 0, .later(after: .zero, reason: "busy"))
    #expect(try #require(course.pausesUntil) - start == .seconds(1))
  }

  /// Plays a sink that refuses requests with these records.
  private func play(_ course: inout ForwardCourse, refusing bad: Set<UInt64>, requests: Int = 10_000) -> [UInt64] {
    var taken: [UInt64] = []
    for _ in 0..<requests where !course.isEmpty {
      let sent = numbers(course)
      if sent.contains(where: bad.contains) {
        note(&course, 0, .refused(count: sent.count, reason: "status 400"))
      } else {
        taken += sent
        note(&course, sent.count)
      }
    }
    return taken
  }

  @Test func theRecordsThatAreRefusedAreFoundAndTheOthersGoInOrder() throws {
    var (course, _) = try course(100)
    let bad: Set<UInt64> = [0, 41, 42, 99]
    #expect(play(&course, refusing: bad) == (0..<100).filter { !bad.contains($0) })
    #expect(course.refusals.map(\.key.uuid.low) == [0, 41, 42, 99])
    #expect(course.refusals.allSatisfy { $0.reason == "status 400" && $0.at == 5 && $0.device.name == "a" })
    #expect(course.sent == 96 && course.refused == 4 && course.retried == 0)
    course.forget(refusals: 3)
    #expect(course.refusals.map(\.key.uuid.low) == [99])
  }

  @Test func aSinkThatRefusesEverythingIsWaitedFor() throws {
    var (course, _) = try course(100)
    #expect(play(&course, refusing: Set(0..<100), requests: 200) == [])
    #expect(course.refused == 16)
    #expect(numbers(course) == [16] && course.pausesUntil != nil)
    #expect(course.trouble == "refuses every record: status 400")
    #expect(play(&course, refusing: []) == Array(16..<100))
    #expect(course.trouble == nil)
  }

  /// The counts are those of the store, from before a restart or of another leader.
  @Test func refusalsInARowAreCountedFromCourseToCourse() throws {
    var (course, _) = try course(100, refused: RefusalCount(total: 40, inRow: 14))
    #expect(play(&course, refusing: Set(0..<100), requests: 200) == [])
    #expect(course.refused == 2 && course.refusalCount == RefusalCount(total: 42, inRow: 16))
    #expect(numbers(course) == [2] && course.trouble == "refuses every record: status 400")
    #expect(play(&course, refusing: [50]) == (2..<100).filter { $0 != 50 })
    #expect(course.refusalCount == RefusalCount(total: 43, inRow: 0))
  }

  /// A request that is given up has taken its time.
  @Test func aSinkThatHangsIsToldWhenItsRequestHasEnded() throws {
    var (course, _) = try course(2)
    var account = SinkAccount()
    func notices(_ now: MonotonicInstant) -> [SinkNotice] { account.note(course, lost: 0, lag: { 9 }, now: now) }
    let end = start + .seconds(30)
    course.note(SinkAnswer(taken: 0, .later(reason: "hangs")), since: start, now: end, wall: 5, chance: 0)
    #expect(notices(end) == [.stuck(reason: "hangs")])
    note(&course, 2)
    #expect(notices(end) == [.resumed(after: .seconds(30), lag: 9)])
  }

  @Test func noticesAreFew() throws {
    var (course, _) = try course(50)
    var account = SinkAccount()
    let at = { (seconds: Int64) in start + .seconds(seconds) }
    func notices(_ seconds: Int64, lost: Int64 = 0, isLast: Bool = false) -> [SinkNotice] {
      account.note(course, lost: lost, lag: { 9 }, now: at(seconds), isLast: isLast)
    }
    note(&course, 0, .later(reason: "gone"))
    #expect(notices(0) == [] && notices(9) == [])
    #expect(notices(10) == [.stuck(reason: "gone")] && notices(500) == [])
    note(&course, 1)
    #expect(notices(501) == [.resumed(after: .seconds(501), lag: 9)])
    note(&course, 0, .refused(count: 1, reason: "status 400"))
    #expect(notices(502) == [.refused(1, reason: "status 400")])
    note(&course, 0, .refused(count: 1, reason: "status 400"))
    note(&course, 0, .refused(count: 1, reason: "status 413"))
    #expect(notices(503) == [] && notices(561) == [])
    #expect(notices(562) == [.refused(2, reason: "status 413")])
    #expect(notices(563, lost: 7) == [.lost(7)] && notices(564, lost: 7) == [])
    #expect(notices(565, lost: 8) == [] && notices(622, lost: 9) == [] && notices(623, lost: 9) == [.lost(9)])
    note(&course, 0, .refused(count: 1, reason: "status 400"))
    #expect(notices(624, lost: 9) == [.refused(1, reason: "status 400")])
    note(&course, 0, .refused(count: 1, reason: "status 413"))
    #expect(notices(625, lost: 10) == [])
    #expect(notices(625, lost: 10, isLast: true) == [.refused(1, reason: "status 413"), .lost(10)])
    #expect(notices(625, lost: 10, isLast: true) == [])
  }
}
