import BackendStore
import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

@testable import Explain

/// What is told of a device between two times: gaps, records, the verdict above them, and what to do.
@Suite struct ExplanationTests {
  private static func name(_ number: UInt64) -> String { WrittenLog.uuid(number).text }

  private static func entry(_ number: UInt64, at milliseconds: Int64) -> String {
    let time = WrittenLog.start.advanced(byMilliseconds: milliseconds).iso8601Text
    return #"{"uuid":"\#(name(number))","timestamp":"\#(time)","coords":{"latitude":45.5,"longitude":-116.3}}"#
  }

  /// Three records, a second and then two minutes apart, all acknowledged.
  private static func log() throws -> LogStory {
    var log = WrittenLog(.ios)
    log.begin()
    for span: Int64 in [1_000, 120_000] {
      log.wait(span)
      log.record()
    }
    for number: UInt64 in 1...3 {
      let uuid = WrittenLog.uuid(number)
      log.write(.locked(uuid: uuid), .response(status: 200, reason: "OK"), .destroyed(uuid: uuid))
    }
    return try ReadLog.story(log.bytes)
  }

  private static func store(_ numbers: [UInt64]) -> StoreBook {
    var book = StoreBook("the store", of: nil)
    let times: [UInt64: Int64] = [1: 0, 2: 1_000, 3: 121_000]
    book.take(
      numbers.compactMap { StoredValue(Array(entry($0, at: times[$0] ?? 0).utf8)) }.map {
        StoredRecord($0, fields: [])
      },
      under: "phone-1")
    return book
  }

  /// Of a record each, which is made when its request comes, or so much earlier.
  private static func requests(_ statuses: [(at: Int64, status: Int)], age: Int64 = 0) -> RequestBook {
    var book = RequestBook(of: nil)
    for (number, request) in statuses.enumerated() {
      book.take(
        SeenRequest(
          place: "journal #\(number)", time: WrittenLog.start.advanced(byMilliseconds: request.at), device: "phone-1",
          method: "POST", path: "/locations", status: request.status, fault: nil,
          body: Array(entry(UInt64(number + 1), at: request.at - age).utf8), isCut: false, answer: []))
    }
    return book
  }

  private func explain(
    _ logs: [LogStory], _ requests: RequestBook? = nil, _ store: StoreBook? = nil, from: Int64? = nil, to: Int64? = nil
  ) -> Explanation {
    Explanation(
      of: "phone-1", from: from.map { WrittenLog.start.advanced(byMilliseconds: $0) },
      to: to.map { WrittenLog.start.advanced(byMilliseconds: $0) },
      gapMilliseconds: 60_000, RecordJoin(logs: logs, requests: requests, store: store, device: "phone-1"))
  }

  /// The text of a drive with a record each so many milliseconds after the one before, and where it may be cut.
  private static func drive(_ spans: [Int64], quiet: Int64 = 0) -> (bytes: [UInt8], cuts: [Int]) {
    var log = WrittenLog(.ios)
    var cuts: [Int] = []
    log.begin()
    for span in spans {
      log.wait(span)
      log.tellZone()
      cuts.append(log.bytes.count)
      log.tellZone()
      log.wait(quiet)
      log.tellZone()
      log.record()
    }
    return (log.bytes, cuts)
  }

  /// A phone begins a new file in the midst of a gap; 40 s before its end, 40 s after its begin.
  @Test func aGapGoesOnFromOneLogToTheNext() throws {
    let drive = Self.drive([1_000, 40_000, 1_000], quiet: 40_000)
    let cut = drive.cuts[1]
    let first = try ReadLog.story(Array(drive.bytes[..<cut]), file: "1.log")
    let second = try ReadLog.story(Array(drive.bytes[cut...]), file: "2.log", after: first)
    #expect(first.gaps.isEmpty && second.gaps.isEmpty)
    let told = explain([first, second])
    #expect(told.gaps.map(\.milliseconds) == [80_000] && told.gaps.map(\.edge) == [.none], "\(told.gaps)")
    #expect(told.gaps.first?.place.contains("1.log:") ?? false, "\(told.gaps)")
    #expect(told.gaps.first?.place.contains("2.log:") ?? false)
    #expect(explain([second, first]).gaps == told.gaps)
  }

  @Test func whatNoLogCoversIsUnknown() throws {
    let drive = Self.drive([1_000, 1_000, 300_000, 1_000, 1_000])
    let first = try ReadLog.story(Array(drive.bytes[..<drive.cuts[1]]), file: "1.log")
    let second = try ReadLog.story(Array(drive.bytes[drive.cuts[2]...]), file: "2.log", after: first)
    let gaps = explain([first, second]).gaps
    #expect(gaps.map(\.causes.first) == [.unknown], "\(gaps)")
    #expect(gaps.first?.reason.hasPrefix("no log tells of 300.0 s of it") ?? false, "\(gaps)")
  }

  /// One of two exports has a record where the other one begins or ends.
  @Test func aRecordInOneLogEndsTheGapOfAnother() throws {
    let drive = Self.drive([1_000, 40_000, 1_000, 100_000, 1_000], quiet: 40_000)
    let whole = try ReadLog.story(drive.bytes, file: "1.log")
    let part = try ReadLog.story(Array(drive.bytes[drive.cuts[0]...]), file: "2.log", after: whole)
    #expect(whole.gaps.count == 2)
    #expect(explain([whole, part]).gaps.map(\.from) == whole.gaps.map(\.from))
    #expect(explain([part, whole]).gaps.map(\.reason) == explain([whole]).gaps.map(\.reason))
  }

  /// A log of Android whose entries name no year, with a zone that is given.
  @Test(arguments: [("2026-07-29T00:00:00Z", 2026), ("2026-07-01T00:00:00Z", 2025), ("2027-01-01T00:00:00Z", 2026)])
  func aLogWithoutYearsIsOfTheYearOfItsFile(written: String, year: Int) throws {
    var log = WrittenLog(.android)
    for _ in 0..<2 {
      log.keep()
      log.wait(120_000)
    }
    let parsed = WallInstant(iso8601: written.utf8.span)
    let time = try #require(parsed)
    let story = try ReadLog.story(log.bytes, zone: LogZone(offsetMinutes: WrittenLog.offsetMinutes), written: time)
    #expect(story.span?.lowerBound.iso8601Text == "\(year)-07-28T14:33:46.653Z")
    #expect(story.gaps.map(\.from.civilDate.year) == [year])
    let told = explain([story])
    #expect(told.notes.contains { $0.hasPrefix("phone.log does not show the year; \(year) is taken") }, "\(told.notes)")
  }

  /// A log of another day knows of no gap.
  @Test func ofATimeThatNoSourceCoversNothingIsTold() throws {
    let day: Int64 = 86_400_000
    let told = try explain([Self.log()], from: day, to: 2 * day)
    #expect(told.outcome == .unknown && told.verdict == "phone-1: no source knows anything of it", "\(told.verdict)")
    #expect(
      told.notes.contains { $0.hasPrefix("no log tells of this time: they go from 2026-07-28T") }, "\(told.notes)")
    let covered = try explain([Self.log()], from: 2_000, to: 3_000)
    #expect(covered.outcome != .unknown && !covered.notes.contains { $0.hasPrefix("no log tells") })
  }

  @Test func theVerdictStandsFirstAndTheBackendsFaultsBeforeAllElse() throws {
    let told = try explain([Self.log()], nil, Self.store([1, 3]))
    #expect(
      told.verdict
        == "phone-1: 1 record acknowledged and lost; 1 gap above 60.0 s: 1 below the distance filter; records: 2 stored once, content compared in part"
    )
    #expect(told.outcome == .broken && told.stories.map(\.uuid) == [WrittenLog.uuid(2)])
    let lines = ExplanationText(told).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first.map(String.init) == told.verdict && lines[1] == "times are those of the phone, UTC+02:00")
    #expect(lines.contains { $0.hasPrefix("record \(Self.name(2)): acknowledged and lost") })
    #expect(lines.contains("what to do") && lines.contains { $0.contains("phone.log:") })
    #expect(told.json.contains(#""fate":"acknowledged-and-lost""#))
  }

  /// A log has what was answered, and not by what (docs/explain.md): an answer of a fault looks like the backend's there.
  @Test func aLossWithoutAJournalSaysWhoseAnswersCount() throws {
    func isNoted(_ told: Explanation) -> Bool { told.notes.contains { $0.contains("injected fault (pretend)") } }
    #expect(try isNoted(explain([Self.log()], nil, Self.store([1, 3]))))
    #expect(try !isNoted(explain([Self.log()], nil, Self.store([1, 2, 3]))))
    #expect(try !isNoted(explain([Self.log()], Self.requests([(0, 200), (1_000, 200)]), Self.store([1, 3]))))
    let one = RecordJoin(logs: [try Self.log()], requests: nil, store: Self.store([1, 3]), device: "phone-1")
    #expect(isNoted(Explanation(of: WrittenLog.uuid(2), one)))
  }

  /// A night's records go out in the morning; the log is that of the morning.
  @Test func whatWasMadeBeforeTheLogAndAcknowledgedInItIsLookedUp() throws {
    var log = WrittenLog(.ios)
    log.begin()
    let old = WrittenLog.uuid(2)
    log.write(.locked(uuid: old), .response(status: 200, reason: "OK"), .destroyed(uuid: old))
    let told = explain([try ReadLog.story(log.bytes)], nil, Self.store([1]))
    #expect(told.outcome == .broken && told.stories.map(\.uuid) == [old], "\(told.verdict)")
  }

  /// Without a log only the requests tell of records.
  @Test func whatCannotBeLookedUpIsTold() throws {
    let sent = Self.entry(1, at: 0)
    func told(_ body: String, device: String? = "phone-1", isCut: Bool = false, logs: [LogStory] = []) -> Explanation {
      var book = Self.requests([(0, 200)])
      let request = SeenRequest(
        place: "journal #7", time: WrittenLog.start, device: device, method: "POST", path: "/locations", status: 200,
        fault: nil, body: Array(body.utf8), isCut: isCut, answer: [])
      if device == nil { book.take(unowned: request) } else { book.take(request) }
      return explain(logs, book, Self.store([1, 2, 3]))
    }
    #expect(told(sent).outcome == .innocent)
    for (told, words) in [
      (told(sent, isCut: true), "only in part"), (told("", isCut: true), "only in part"),
      (told(sent, device: nil), "no device is named"), (told(#"{"coords":{}}"#), "have no uuid"),
    ] {
      #expect(told.outcome == .unknown && told.notes.contains { $0.contains(words) }, "\(told.notes)")
    }
    // A log names its records, if it shows any.
    #expect(try told(sent, isCut: true, logs: [Self.log()]).outcome == .innocent)
    var terse = WrittenLog(.ios)
    terse.write(.heartbeat)
    #expect(try told(sent, isCut: true, logs: [ReadLog.story(terse.bytes)]).outcome == .unknown)
    // A photograph is no record.
    #expect(told(#"{"name":"x","data":"…"#, isCut: true).outcome == .innocent)
    #expect(told("--boundary", device: nil, isCut: true).outcome == .innocent)
  }

  /// Without a log and without a store an acknowledgement proves nothing.
  @Test func whatIsAcknowledgedAndNotLookedUpIsNoVerdict() throws {
    #expect(explain([], Self.requests([(0, 200)])).outcome == .unknown)
    #expect(try explain([Self.log()]).outcome == .innocent)
  }

  /// At the end of summer time a clock is set back by an hour, and at its beginning forward.
  @Test(arguments: [(120, 60, [1_200_000]), (60, 120, [])] as [(Int, Int, [Int64])])
  func gapsAreMeasuredThroughAClockThatIsSet(before: Int, after: Int, gaps: [Int64]) throws {
    var bytes: [UInt8] = []
    func write(_ entries: [LogEntry], minutes: Int, at milliseconds: Int64) {
      let text = LogText(platform: .ios, utcOffsetMinutes: minutes)
      for entry in entries {
        text.append(entry, at: WrittenLog.start.advanced(byMilliseconds: milliseconds), to: &bytes)
      }
    }
    func record(_ number: UInt64) -> LogEntry {
      .inserted(uuid: WrittenLog.uuid(number), kind: .tracking, persistMode: 2, maxRecords: -1)
    }
    let zone = LogEntry.geofence(identifier: "home", action: .enter, hits: 1)
    write([zone, record(1)], minutes: before, at: 0)
    write([zone, zone, zone, record(2)], minutes: after, at: gaps.first ?? 30_000)
    let story = try ReadLog.story(bytes)
    #expect(story.gaps.map(\.milliseconds) == gaps, "\(story.gaps)")
  }

  @Test func onlyWhatLiesInTheWindowIsTold() throws {
    let told = try explain([Self.log()], nil, Self.store([1, 3]), from: 0, to: 900)
    #expect(told.outcome == .innocent && told.gaps.isEmpty && told.fates.map(\.count) == [1])
    // A gap belongs to every window that it reaches into.
    #expect(try explain([Self.log()], nil, nil, from: 50_000, to: 60_000).gaps.count == 1)
  }

  /// A phone that was without a network sends hours later what belongs into the window.
  @Test func withoutALogARecordBelongsWhereItWasMade() throws {
    let requests = Self.requests([(3_600_000, 200), (3_601_000, 200)], age: 3_600_000)
    #expect(explain([], requests, from: 0, to: 900).fates.map(\.count) == [1])
    #expect(explain([], requests, from: 3_600_000, to: 3_700_000).fates.isEmpty)
  }

  @Test func aStoreAloneHasItsRecordsInTheWindow() throws {
    let told = explain([], nil, Self.store([1, 2, 3]), from: 500, to: 2_000)
    #expect(told.fates.map(\.count) == [1] && told.outcome == .innocent, "\(told.verdict)")
  }

  @Test func withoutALogGapsAreSeenInTheStoreAndNotExplained() throws {
    let told = explain([], Self.requests([(0, 200), (1_000, 200), (60_000, 503)]), Self.store([1, 2, 3]))
    #expect(told.gaps.map(\.causes) == [[.unknown]] && told.gaps.first?.milliseconds == 120_000)
    let reason = try #require(told.gaps.first?.reason)
    #expect(reason.contains("1 request came meanwhile, 1 of them refused"), "\(reason)")
    let silent = explain([], Self.requests([(0, 200), (100_000, 200)]))
    #expect(silent.gaps.first?.reason.contains("no request came meanwhile") ?? false)
  }

  @Test func likeStoriesAreToldOnceInTextAndAllInJSON() throws {
    var log = WrittenLog(.android)
    for _ in 0..<50 { log.keep() }
    let told = explain([try ReadLog.story(log.bytes)])
    let text = ExplanationText(told).text
    #expect(told.stories.count == 50 && text.contains("and 47 records more: waiting on the phone"), "\(text)")
  }

  @Test func aBlankedLogHasGapsAndNoRecords() throws {
    var log = WrittenLog(.ios)
    log.begin()
    log.wait(90_000)
    log.position(north: 30)
    log.write(.inserted(uuid: WrittenLog.uuid(1), kind: .tracking, persistMode: 2, maxRecords: -1))
    let told = explain([try ReadLog.story(log.bytes)])
    #expect(told.gaps.count == 1 && told.fates.isEmpty && told.outcome == .innocent)
    #expect(told.verdict.contains("the uuids of the log were blanked"))
    // What the other sources have is not looked up.
    for (requests, store) in [(nil, Self.store([])), (Self.requests([(0, 200)]), nil)] {
      let asked = explain([try ReadLog.story(log.bytes)], requests, store)
      #expect(asked.outcome == .unknown && asked.gaps.count == 1)
    }
  }

  @Test func sourcesThatKnowNothingSayWhy() throws {
    var log = WrittenLog(.ios)
    log.write(.heartbeat)
    let told = explain([try ReadLog.story(log.bytes)])
    #expect(told.outcome == .unknown && told.notes.contains { $0.contains("set logger.logLevel to verbose") })
    #expect(told.notes.contains { $0.contains("taken as UTC") })
  }

  /// Windows and control characters of a log do not steer the terminal.
  @Test func aQuoteIsOnePlainLine() {
    let quote = EntryQuote.found(in: "🔵 \n╔═══\n║ -[A b] \u{1B}[31mred\u{7}\n╚═══")
    #expect(quote.quote == "-[A b]  [31mred " && quote.below == 2)
    #expect(EntryQuote.of("[HttpService run] \n  ✅  DESTROY: 1") == "[HttpService run] ✅  DESTROY: 1")
    #expect(EntryQuote.of(String(repeating: "x", count: 500)).count == 140)
  }
}
