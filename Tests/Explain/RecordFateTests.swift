import BackendStore
import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

@testable import Explain

/// What became of a record, from the log, the journal and the store together, and from each alone.
@Suite struct RecordFateTests {
  private static let uuid = WrittenLog.uuid(1)
  private static let name = "00000000-0000-0007-0000-000000000001"
  private static let sent =
    #"{"uuid":"\#(name)","timestamp":"2026-07-28T14:33:46.653Z","coords":{"latitude":45.5,"longitude":-116.3,"accuracy":5},"is_moving":true,"extras":{"id":9007199254740993}}"#

  /// A record that is made; then what became of it.
  private func log(_ after: (inout WrittenLog) -> Void) throws -> LogStory {
    var log = WrittenLog(.ios)
    log.begin()
    log.wait(1_000)
    after(&log)
    return try ReadLog.story(log.bytes, of: Self.uuid)
  }

  private func acknowledged(_ log: inout WrittenLog) {
    log.write(.locked(uuid: Self.uuid), .response(status: 200, reason: "OK"), .destroyed(uuid: Self.uuid))
  }

  private func requests(_ statuses: [Int], fault: SeenRequest.Fault? = nil, device: String? = "phone-1") -> RequestBook
  {
    var book = RequestBook(of: nil)
    for (number, status) in statuses.enumerated() {
      book.take(
        SeenRequest(
          place: "journal #\(number + 1)",
          time: WrittenLog.start.advanced(byMilliseconds: Int64(number) * 1_000 + 1_500),
          device: device, method: "POST", path: "/locations", status: status, fault: fault,
          body: Array(#"{"location":\#(Self.sent)}"#.utf8), isCut: false, answer: Array("{}".utf8)))
    }
    return book
  }

  private func store(_ rows: [(device: String, entry: String)]) -> StoreBook {
    var book = StoreBook("the store", of: nil)
    for device in ["phone-1", "phone-2"] {
      let entries = rows.filter { $0.device == device }.compactMap { StoredValue(Array($0.entry.utf8)) }
      book.take(entries.map { StoredRecord($0, fields: []) }, under: device)
    }
    // A store that shows nothing at all proves nothing.
    let other = StoredValue(Array(#"{"uuid":"\#(WrittenLog.uuid(99).text)"}"#.utf8))
    book.take(other.map { [StoredRecord($0, fields: [])] } ?? [], under: "phone-9")
    return book
  }

  /// However often it was refused before, and after.
  @Test(arguments: [(9, 0), (40, 0), (3, 20), (20, 20)]) func anAcknowledgementIsNotForgotten(before: Int, after: Int) {
    let statuses = Array(repeating: 503, count: before) + [200] + Array(repeating: 503, count: after)
    let story = story(nil, requests(statuses), store([]))
    #expect(story.fate == .lost, "\(story.words)")
  }

  @Test func eachRefusalIsCounted() {
    let story = story(nil, requests(Array(repeating: 503, count: 30)), store([]))
    #expect(story.fate == .refused)
    #expect(story.words.contains("answered 503 30 times"), "\(story.words)")
  }

  /// What the dialect gives the store as time is over, or is not.
  @Test(arguments: [(999, false), (10_499, false), (10_500, true), (20_000, true)] as [(Int64, Bool)])
  func aRecordMayComeAsLateAsTheDialectSays(milliseconds: Int64, isLost: Bool) {
    // The request was at 1.5 s.
    let askedAt = WrittenLog.start.advanced(byMilliseconds: milliseconds + 1_000)
    var store = StoreBook("the store", of: nil, askedAt: askedAt, readDelay: .seconds(10))
    store.take([], under: "phone-1")
    store.takeAbsence(of: "phone-2", "404")
    let story = story(nil, requests([200]), store)
    #expect(story.fate == (isLost ? .lost : .notJudged), "\(story.words)")
    #expect(story.words.contains("ask again later") == !isLost)
  }

  /// The phone is two hours east of UTC, and its log may not show it: the acknowledgement may be up to twelve hours later than
  /// its line says.
  @Test(arguments: [(nil, 10, false), (nil, 15, true), (120, 10, true)] as [(Int?, Int64, Bool)])
  func aLogWithoutAZoneDoesNotEndTheDelay(offset: Int?, hours: Int64, isLost: Bool) throws {
    var log = WrittenLog(.ios)
    log.write(.paceChange(from: false, to: true), .locationUpdates(isOn: true))
    log.record()
    acknowledged(&log)
    let askedAt = WrittenLog.start.advanced(byMilliseconds: hours * 3_600_000)
    var store = StoreBook("the store", of: nil, askedAt: askedAt, readDelay: .seconds(10))
    store.take([], under: "phone-1")
    store.takeAbsence(of: "phone-2", "404")
    let zone = offset.map { LogZone(offsetMinutes: $0) }
    let read = try ReadLog.story(log.bytes, of: Self.uuid, zone: zone)
    #expect(read.zone.isKnown == (offset != nil))
    let story = RecordJoin(logs: [read], requests: nil, store: store, device: "phone-1").story(of: Self.uuid)
    #expect(story.fate == (isLost ? .lost : .notJudged), "\(story.words)")
    #expect(story.words.contains("give --utc-offset") == !isLost, "\(story.words)")
  }

  /// As after `--retain-days`.
  @Test(arguments: [(0, true), (1, false)]) func whatTheStoreHasDeletedIsNotLost(taken: Int, isLost: Bool) {
    var store = store([])
    store.accounts = ["phone-1": StoreAccount(taken: taken, since: WrittenLog.start)]
    let story = story(nil, requests([200]), store)
    #expect(story.fate == (isLost ? .lost : .notJudged), "\(story.words)")
    #expect(story.words.contains("the store has deleted 1 record of 'phone-1'") == !isLost, "\(story.words)")
  }

  /// As after `DELETE /admin/v1/quarantine`: the server has said that it put the record aside.
  @Test(arguments: [(0, false, true), (1, false, false), (1, true, true), (2, true, false)])
  func whatWasRemovedFromQuarantineIsNotLost(quarantined: Int, keepsOther: Bool, isLost: Bool) {
    let answer = #"{"accepted":1,"duplicate":0,"quarantined":\#(quarantined),"background_geolocation":[["stop"]]}"#
    let other = Self.sent.replacing(Self.name, with: WrittenLog.uuid(2).text)
    for wanted in [nil, Self.uuid] {
      var book = RequestBook(of: wanted)
      book.take(
        SeenRequest(
          place: "journal #1", time: WrittenLog.start, device: "phone-1", method: "POST", path: "/locations",
          status: 200,
          fault: nil, body: Array(#"{"location":[\#(Self.sent),\#(other)]}"#.utf8), isCut: false,
          answer: Array(answer.utf8)))
      var store = StoreBook("the store", of: wanted)
      store.take([], under: "phone-1")
      store.accounts = ["phone-1": StoreAccount(taken: 0, since: WrittenLog.start)]
      if keepsOther { store.takeQuarantined(WrittenLog.uuid(2), Evidence("bad", place: "quarantine")) }
      let story = story(nil, book, store)
      #expect(story.fate == (isLost ? .lost : .notJudged), "\(story.words)")
      #expect(story.words.contains("no quarantine shows which") == !isLost, "\(story.words)")
    }
  }

  @Test func aFieldThatIsNullIsNamed() throws {
    let entry = Self.sent.replacing(#""is_moving":true"#, with: #""is_moving":null"#)
    let story = story(nil, requests([200]), store([("phone-1", entry)]))
    #expect(story.words.hasSuffix("as sent, except is_moving (null), not compared"), "\(story.words)")
  }

  private func story(_ log: LogStory? = nil, _ requests: RequestBook? = nil, _ store: StoreBook? = nil) -> RecordStory {
    RecordJoin(logs: log.map { [$0] } ?? [], requests: requests, store: store, device: "phone-1").story(of: Self.uuid)
  }

  @Test func aLogAloneTellsWhatThePhoneKnows() throws {
    #expect(try story(log { _ in }).fate == .waiting)
    #expect(try story(log(acknowledged)).fate == .acknowledged)
    let refused = try story(
      log { log in
        for _ in 0..<5 {
          log.write(.locked(uuid: Self.uuid), .response(status: 503, reason: "no"), .unlocked(uuid: Self.uuid))
          log.wait(1_000)
        }
      })
    #expect(refused.fate == .refused && refused.words.contains("answered 503 5 times"))
    let silent = try story(log { $0.write(.locked(uuid: Self.uuid), .response(status: 0, reason: "timeout")) })
    #expect(silent.fate == .waiting && silent.words.contains("no answer"))
    let offline = try story(log { $0.write(.noNetwork) })
    #expect(offline.fate == .waiting && offline.words.contains("could not send"))
    #expect(offline.evidence.contains { $0.quote.contains("No network connection") })
    #expect(try story(log { $0.write(.shrunk(max: 1, deleted: 1)) }).fate == .deletedByPhone)
    #expect(try story(log { $0.write(.shrunk(max: 1, deleted: 0)) }).fate == .waiting)
    #expect(try story(log { $0.write(.destroyedAll(count: 1)) }).fate == .deletedByPhone)
  }

  /// A phone begins a new file now and then, with a queue that the old one tells of.
  @Test(arguments: [true, false]) func whatBecameOfARecordMayStandInTheNextLog(asksForAll: Bool) throws {
    func fates(_ after: (inout WrittenLog) -> Void) throws -> RecordStory {
      var log = WrittenLog(.ios)
      log.begin()
      let cut = log.bytes.count
      log.wait(1_000)
      after(&log)
      let uuid = asksForAll ? nil : Self.uuid
      let first = try ReadLog.story(Array(log.bytes[..<cut]), file: "1.log", of: uuid)
      let second = try ReadLog.story(Array(log.bytes[cut...]), file: "2.log", of: uuid, after: first)
      #expect(second.recordCount == 0)
      return RecordJoin(logs: [first, second], requests: nil, store: store([]), device: "phone-1").story(of: Self.uuid)
    }
    let lost = try fates(acknowledged)
    #expect(lost.fate == .lost && lost.evidence.map(\.place).prefix(2) == ["1.log", "2.log"], "\(lost)")
    #expect(try fates { $0.write(.noNetwork) }.words.contains("could not send"))
    #expect(try fates { $0.write(.destroyedAll(count: 1)) }.fate == .deletedByPhone)
    for lock in [LogEntry.locked(uuid: Self.uuid), .lockedBatch(count: 1)] {
      let refused = try fates { log in
        for _ in 0..<5 {
          log.write(lock, .response(status: 503, reason: "no"), .unlockedAll)
          log.wait(1_000)
        }
      }
      #expect(refused.fate == .refused && refused.words.contains("answered 503 5 times"), "\(refused)")
    }
  }

  /// An export of three days, and another one of the next day.
  @Test func whatTwoLogsTellIsCountedOnce() throws {
    var log = WrittenLog(.ios)
    log.begin()
    let cut = log.bytes.count
    log.tellZone()
    for _ in 0..<5 {
      log.wait(1_000)
      log.write(.locked(uuid: Self.uuid), .response(status: 503, reason: "no"), .unlocked(uuid: Self.uuid))
    }
    let first = try ReadLog.story(log.bytes, file: "1.log")
    let second = try ReadLog.story(Array(log.bytes[cut...]), file: "2.log", after: first)
    let story = RecordJoin(logs: [first, second], requests: nil, store: store([]), device: "phone-1").story(
      of: Self.uuid)
    #expect(story.fate == .refused && story.words.contains("answered 503 5 times"), "\(story)")
  }

  /// `destroyLocation` writes the same line as an upload.
  @Test func whatTheAppDeletesIsNotAcknowledged() throws {
    let refused = try log { log in
      log.write(.locked(uuid: Self.uuid), .response(status: 500, reason: "no"), .destroyed(uuid: Self.uuid))
    }
    let ofAnother = try log { log in
      log.write(.locked(uuid: WrittenLog.uuid(2)), .response(status: 200, reason: "OK"))
      log.write(.destroyed(uuid: WrittenLog.uuid(2)), .destroyed(uuid: Self.uuid))
    }
    var older = WrittenLog(.ios)
    older.write(.lockedBatch(count: 1), .response(status: 200, reason: "OK"))
    older.begin()
    older.write(.destroyed(uuid: Self.uuid))
    for log in [refused, ofAnother, try ReadLog.story(older.bytes, of: Self.uuid)] {
      let story = story(log, nil, store([]))
      #expect(story.fate == .deletedByPhone, "\(story)")
    }
    // In a batch, and where the log does not show the answer.
    let batch = try log { log in
      log.write(.lockedBatch(count: 1), .response(status: 200, reason: "OK"), .destroyed(uuid: Self.uuid))
    }
    for log in [batch, try log { $0.write(.destroyed(uuid: Self.uuid)) }] {
      #expect(story(log, nil, store([])).fate == .lost)
    }
  }

  @Test func whatWasAcknowledgedAndIsNotThereIsLost() throws {
    let lost = try story(log(acknowledged), requests([503, 200]), store([]))
    #expect(lost.fate == .lost && lost.words.contains("answered 200"))
    // In the order of their times, and the store last.
    let words = lost.evidence.map(\.words)
    #expect(words.first == "recorded" && words.last == "not among the 1 record of 'phone-9'")
    #expect(lost.evidence.contains { $0.place == "journal #2" } && lost.evidence.contains { $0.line != nil })
    // Each source alone is enough to know of the acknowledgement.
    #expect(try story(log(acknowledged), nil, store([])).fate == .lost)
    #expect(story(nil, requests([200]), store([])).fate == .lost)
    let pretended = SeenRequest.Fault(kind: "pretend", withholdsRecords: true)
    let injected = story(nil, requests([200], fault: pretended), store([]))
    #expect(injected.fate == .lostByFault && injected.words.contains("injected fault (pretend)"))
    // A fault told the phone something else than the backend had answered.
    let replaced = SeenRequest.Fault(kind: "replace", withholdsRecords: false, replacesStatus: true)
    #expect(try story(log(acknowledged), requests([503], fault: replaced), store([])).fate == .lostByFault)
    let refused = story(nil, requests([503], fault: replaced), store([]))
    #expect(refused.fate == .refused && !refused.words.contains("still on the phone"))
    let dropped = SeenRequest.Fault(kind: "drop", withholdsRecords: false)
    #expect(story(nil, requests([200], fault: dropped), store([])).fate == .lost)
    #expect(story(nil, requests([503, 503]), store([])).fate == .refused)
  }

  @Test func whatIsStoredIsComparedWithWhatWasSent() throws {
    let twin = ("phone-1", Self.sent)
    #expect(story(nil, requests([200]), store([twin])).fate == .stored)
    // An answer that was lost does not matter once the record is there.
    #expect(story(nil, requests([503]), store([twin])).fate == .stored)
    #expect(story(nil, requests([200]), store([twin, twin])).fate == .storedTwice)
    #expect(story(nil, requests([200]), store([twin, ("phone-2", Self.sent)])).fate == .storedTwice)
    let misfiled = story(nil, requests([200]), store([("phone-2", Self.sent)]))
    #expect(misfiled.fate == .otherDevice && misfiled.words == "stored under 'phone-2' instead of 'phone-1'")
  }

  @Test(arguments: [
    ("\"latitude\":45.5", "\"latitude\":45.5001", "coords.latitude: 45.5001 instead of 45.5"),
    ("46.653Z", "46Z", "timestamp: \"2026-07-28T14:33:46Z\" instead of \"2026-07-28T14:33:46.653Z\""),
    ("true", "false", "is_moving: false instead of true"),
    ("9007199254740993", "9007199254740992", "extras.id: 9007199254740992 instead of 9007199254740993"),
  ])
  func aChangedFieldIsNamed(old: String, new: String, words: String) {
    let story = story(nil, requests([200]), store([("phone-1", Self.sent.replacing(old, with: new))]))
    #expect(story.fate == .storedChanged && story.words.contains(words), "\(story.words)")
  }

  /// Without a journal the log knows where the position was.
  @Test func aLogShowsThatCoordinatesWereChanged() throws {
    let moved = Self.sent.replacing("45.5", with: "45.501")
    let story = try story(log(acknowledged), nil, store([("phone-1", moved)]))
    #expect(story.fate == .storedChanged && story.words.contains("which the log shows"), "\(story.words)")
    #expect(try self.story(log(acknowledged), nil, store([("phone-1", Self.sent)])).fate == .stored)
  }

  @Test func whatIsQuarantinedIsNotLost() {
    var store = store([])
    store.takeQuarantined(Self.uuid, Evidence("unreadableCoordinate", place: "quarantine"))
    let story = story(nil, requests([200]), store)
    #expect(story.fate == .quarantined && story.words.contains("unreadableCoordinate"))
  }

  @Test func aRecordThatNoSourceKnowsIsUnknown() throws {
    #expect(story(nil, requests([]), store([])).fate == .unknown)
    var log = WrittenLog(.ios)
    log.write(.heartbeat)
    #expect(try story(ReadLog.story(log.bytes, of: Self.uuid)).fate == .unknown)
  }

  /// A phone may be renamed while a record waits: it is stored once, under a name that it was sent with.
  @Test func aRecordThatWasSentAgainUnderAnotherNameIsInItsPlace() {
    var book = requests([200])
    for device in ["phone-2"] {
      book.take(
        SeenRequest(
          place: "journal #9", time: WrittenLog.start.advanced(byMilliseconds: 9_000), device: device, method: "POST",
          path: "/locations", status: 200, fault: nil, body: Array(#"{"location":\#(Self.sent)}"#.utf8), isCut: false,
          answer: []), only: [Self.uuid])
    }
    for device in ["phone-1", "phone-2"] {
      let story = story(nil, book, store([(device, Self.sent)]))
      #expect(story.fate == .stored, "\(story.words)")
    }
    #expect(story(nil, book, store([("phone-1", Self.sent), ("phone-2", Self.sent)])).fate == .storedTwice)
  }

  /// Where only the question names the device, it may be mistyped.
  @Test func aDeviceThatTheStoreDoesNotKnowIsNoOwner() throws {
    let misfiled = try story(log(acknowledged), nil, store([("phone-2", Self.sent)]))
    #expect(misfiled.fate == .notJudged && misfiled.words.contains("does not know 'phone-1'"), "\(misfiled.words)")
    let other = Self.sent.replacing(Self.name, with: WrittenLog.uuid(2).text)
    let known = try story(log(acknowledged), nil, store([("phone-2", Self.sent), ("phone-1", other)]))
    #expect(known.fate == .otherDevice, "\(known.words)")
  }

  /// A token for pushes has a uuid, too.
  @Test func whatHasNoPositionMayBeNoRecord() {
    func book(_ bodies: [String]) -> RequestBook {
      var book = RequestBook(of: nil)
      for body in bodies {
        book.take(
          SeenRequest(
            place: "journal #1", time: WrittenLog.start, device: "phone-1", method: "POST", path: "/tokens",
            status: 200,
            fault: nil, body: Array(body.utf8), isCut: false, answer: []))
      }
      return book
    }
    let token = #"{"uuid":"\#(Self.name)","token":"x"}"#
    #expect(story(nil, book([token]), store([])).fate == .notJudged)
    let record = #"{"location":\#(Self.sent.replacing(Self.name, with: WrittenLog.uuid(2).text))}"#
    var both = book([token, record])
    both.leaveOutOthers()
    #expect(Array(both.sightings.keys) == [WrittenLog.uuid(2)])
  }

  @Test func integerFractionsOfADegreeAreNotCompared() {
    let scaled = Self.sent.replacing(":45.5,", with: ":455000000,").replacing("-116.3", with: "-1163000000")
    let story = story(nil, requests([200]), store([("phone-1", scaled)]))
    #expect(
      story.fate == .stored && story.words.contains("except coords.latitude, coords.longitude"), "\(story.words)")
    let wrong = Self.sent.replacing(":45.5,", with: ":190.5,")
    #expect(self.story(nil, requests([200]), store([("phone-1", wrong)])).fate == .storedChanged)
  }

  /// Logs that were given away have one uuid for all records.
  @Test func aBlankedUUIDIsNoRecord() throws {
    var log = WrittenLog(.ios)
    log.begin()
    log.wait(1_000)
    log.write(.inserted(uuid: Self.uuid, kind: .tracking, persistMode: 2, maxRecords: -1))
    let story = try story(ReadLog.story(log.bytes, of: Self.uuid))
    #expect(story.fate == .ambiguous && story.words.contains("2 records"))
  }

  /// In a batch the log names records only when they are deleted or given back.
  @Test(arguments: DevicePlatform.allCases) func aBatchIsAnsweredAsAWhole(platform: DevicePlatform) throws {
    var log = WrittenLog(platform)
    for _ in 1...3 { log.keep() }
    log.write(.lockedBatch(count: 2), .response(status: 500, reason: "no"))
    log.write(.lockedBatch(count: 2), .response(status: 200, reason: "OK"))
    for number: UInt64 in 1...2 { log.write(.destroyed(uuid: WrittenLog.uuid(number))) }
    let join = RecordJoin(logs: [try ReadLog.story(log.bytes)], requests: nil, store: nil, device: nil)
    let fates = (1...3).map { join.story(of: WrittenLog.uuid($0)) }
    #expect(fates.map(\.fate) == [.acknowledged, .acknowledged, .waiting])
    #expect(fates[0].evidence.map(\.words).contains("answered 500"))
  }
}
