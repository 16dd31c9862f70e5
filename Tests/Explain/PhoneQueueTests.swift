import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

@testable import Explain

/// Which records a phone still has, from lines that name some of them and count others (SDK §7.4).
@Suite struct PhoneQueueTests {
  private static func uuids(_ numbers: ClosedRange<UInt64>) -> [UUID128] { numbers.map { WrittenLog.uuid($0) } }

  private static func fates(_ log: WrittenLog, _ numbers: ClosedRange<UInt64>) throws -> [RecordFate] {
    let join = RecordJoin(logs: [try ReadLog.story(log.bytes)], requests: nil, store: nil, device: nil)
    return uuids(numbers).map { join.story(of: $0).fate }
  }

  private static func log(_ platform: DevicePlatform = .ios, records: Int) -> WrittenLog {
    var log = WrittenLog(platform)
    for _ in 0..<records {
      log.keep()
      log.wait(1_000)
    }
    return log
  }

  private static func deliver(_ number: UInt64, _ log: inout WrittenLog) {
    let uuid = WrittenLog.uuid(number)
    log.write(.locked(uuid: uuid), .response(status: 200, reason: "OK"), .destroyed(uuid: uuid))
  }

  /// A phone deletes its oldest records first, which may be older than the log.
  @Test(arguments: [LogEntry.purged(count: 2, days: 1), .shrunk(max: 9, deleted: 2)])
  func whatIsDeliveredLaterWasNotDeleted(cut: LogEntry) throws {
    var log = Self.log(records: 2)
    log.write(cut)
    Self.deliver(1, &log)
    Self.deliver(2, &log)
    #expect(try Self.fates(log, 1...2) == [.acknowledged, .acknowledged])
  }

  /// §7.4.1: records of a request that is under way stay.
  @Test func whatIsLockedIsNotDeleted() throws {
    var log = Self.log(records: 2)
    log.write(.lockedBatch(count: 1), .shrunk(max: 1, deleted: 1), .response(status: 500, reason: "no"))
    #expect(try Self.fates(log, 1...2) == [.refused, .deletedByPhone])
  }

  @Test(arguments: DevicePlatform.allCases) func onlyRecordsOfTheDaysInQuestionAreTooOld(platform: DevicePlatform)
    throws
  {
    var log = Self.log(platform, records: 1)
    log.wait(86_400_000)
    log.keep()
    log.write(.purged(count: 2, days: 1))
    #expect(try Self.fates(log, 1...2) == [.deletedByPhone, .waiting])
  }

  /// The log of iOS has the limit in the line of each record.
  @Test func whatIsBeyondTheLimitIsGone() throws {
    var log = WrittenLog(.ios)
    for number: UInt64 in 1...5 {
      let uuid = WrittenLog.uuid(number)
      log.write(.inserted(uuid: uuid, kind: .tracking, persistMode: 2, maxRecords: 3))
    }
    let (gone, here) = (RecordFate.deletedByPhone, RecordFate.waiting)
    #expect(try Self.fates(log, 1...5) == [gone, gone, here, here, here])
  }

  /// That of Android has not.
  @Test func whatIsPassedOverIsGone() throws {
    var log = Self.log(.android, records: 5)
    log.write(.lockedBatch(count: 2), .response(status: 500, reason: "no"))
    log.write(.lockedBatch(count: 2), .response(status: 200, reason: "OK"))
    for number: UInt64 in 4...5 { log.write(.destroyed(uuid: WrittenLog.uuid(number))) }
    let (gone, sent) = (RecordFate.deletedByPhone, RecordFate.acknowledged)
    #expect(try Self.fates(log, 1...5) == [gone, gone, gone, sent, sent])
  }

  /// `locationsOrderDirection`
  @Test func aPhoneThatSendsTheYoungestFirstHasTheOthersStill() throws {
    var log = Self.log(records: 4)
    for number: UInt64 in [4, 3] { Self.deliver(number, &log) }
    let (here, sent) = (RecordFate.waiting, RecordFate.acknowledged)
    #expect(try Self.fates(log, 1...4) == [here, here, sent, sent])
  }

  /// An answer to two records is none to a third one.
  @Test func anAnswerDeletesAsManyAsWereSent() throws {
    var log = Self.log(records: 3)
    log.write(.lockedBatch(count: 2), .response(status: 200, reason: "OK"))
    for number: UInt64 in 1...3 { log.write(.destroyed(uuid: WrittenLog.uuid(number))) }
    #expect(try Self.fates(log, 1...3) == [.acknowledged, .acknowledged, .deletedByPhone])
  }

  @Test(arguments: [true, false]) func aLogMayEndBehindAnAnswer(isNamed: Bool) throws {
    var log = Self.log(records: 2)
    log.write(isNamed ? .locked(uuid: WrittenLog.uuid(1)) : .lockedBatch(count: 1))
    log.write(.response(status: 200, reason: "OK"))
    #expect(try Self.fates(log, 1...2) == [.acknowledged, .waiting])
    var book = StoreBook("the store", of: nil)
    book.tookAll()
    let join = RecordJoin(logs: [try ReadLog.story(log.bytes)], requests: nil, store: book, device: nil)
    let story = join.story(of: WrittenLog.uuid(1))
    #expect(story.fate == .notJudged && story.words.contains("the log ends before"), "\(story.words)")
  }

  /// `cat monday.log tuesday.log`, each with the days before it.
  @Test func theSameLinesTwiceAreOneRecord() throws {
    var log = Self.log(records: 2)
    Self.deliver(1, &log)
    let join = RecordJoin(
      logs: [try ReadLog.story(log.bytes + log.bytes)], requests: nil, store: nil, device: nil)
    #expect(Self.uuids(1...2).map { join.story(of: $0).fate } == [.acknowledged, .waiting])
  }

  /// The second log begins in the midst of the first one, whose queue at that time it goes on with.
  @Test func logsMayOverlap() throws {
    var log = WrittenLog(.android)
    log.keep()
    log.keep()
    let cut = log.bytes.count
    log.wait(1_000)
    let begin = log.now.advanced(byMilliseconds: Int64(WrittenLog.offsetMinutes) * 60_000)
    log.write(.lockedBatch(count: 1), .response(status: 500, reason: "no"))
    let end = log.bytes.count
    log.wait(1_000)
    log.write(.destroyed(uuid: WrittenLog.uuid(1)))
    let first = try ReadLog.story(Array(log.bytes[..<end]), file: "1.log", before: begin)
    let second = try ReadLog.story(Array(log.bytes[cut...]), file: "2.log", after: first)
    let join = RecordJoin(logs: [first, second], requests: nil, store: nil, device: nil)
    #expect(Self.uuids(1...2).map { join.story(of: $0).fate } == [.deletedByPhone, .waiting])
  }
}
