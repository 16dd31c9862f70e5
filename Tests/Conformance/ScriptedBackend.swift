import Base
import Scenario
import Support
import Synchronization
import Threads

@testable import BackendStore
@testable import Conformance

/// A small backend on a real socket, right but for the one defect that a test asks for.
final class ScriptedBackend: Sendable {
  enum Defect: String, CaseIterable, Sendable {
    case redirects, fails, storesNothing, filesElsewhere, acknowledgesWith202, answersWithAPage, firstOfBatch
    case storesRepeats, refusesRepeats, keyIsTime, keyIsSecond, keyIsPlace, keepsNewest
    case dropsOldRecords, dropsLateRecords, refusesBatchWithABadRecord, refusesABadRecord
    case swapsCoordinates, roundsCoordinates, cutsMilliseconds, shiftsTimes, dropsExtras, makesDoublesOfIntegers
    case failsAtNUL, failsAtHalfASurrogate, failsAtMissingFields, writesNullAsText, dropsHeartbeats, forgetsGeofences
    case sendsUnknownCommands
    case commitsLate, dropsSecondOfBatch, failsAtEachThird, stopsAtABadRecord, stopsAtNUL, stopsToStoreAtABadRecord
    case takesNoBatches, isBusyAtABadRecord, forgetsAtRestart, takesEpochForSeconds
    case answersNestedCommands, stopsEverybody, saysThatItIsJSON, acknowledgesUnreadableBodies, acknowledgesOtherPaths
    case losesOneOfACrowd, forgetsGeofenceExtras, cutsTexts, dropsLongExtras, neverCharges, isAlwaysSure
    case swapsInTheSouth, losesTheLastOfTwenty, keepsAHundredOfABatch, filesTheSixthElsewhere
    case roundsToFrames, makesFalseOfNull, cutsLists, commitsBatchesLate, numbersDevices, entersAlways
    case losesOverlaps, countsInSummerTime, refusesOldRecords, datesOldRecordsAnew, cutsHEAD
    case losesEachSeventh, failsAtEachSeventh, listsOldRecordsOnce, knowsForAMoment, fillsGapsFromBefore, pagesBySeconds
    case makesNullOfZero, sharesExtras, remembersTwoHundred, cutsUUIDs, failsOnce
    case overwritesRepeats, lowersKeys, keepsOneFenceOfAName, thinsOldOnes, failsAtTheFirstLargeBatch
    case forgetsProvider, forgetsNewFields, forgetsConfidence, forgetsZeroAltitude, wantsAKey
    case keepsIntegersAsFloats, acknowledgesCodedUnread, failsAtOldRecords, refusesOneOfACrowd, stopsAtARepeat
    /// What a batch with a bad record has of good ones is known then, and not stored. What two clauses send is listed late.
    case knowsWhatItRefuses, listsTwoLate, losesTwoOnce, refusesUnknownAccuracy, makesZeroOfUnknownAccuracy
    /// In uploads and in lists.
    case cutsNames
    /// What another device has just stored goes with it.
    case rollsBackAtABadRecord
    /// What a run asks first behind a restart is refused, as by a proxy whose backend has gone.
    case staysAway
    /// The two connections behind each eight others, over which an upload has come, get no answer.
    case servesEight
    /// From the first crowd on, each third of the uploads that come right behind one over another connection.
    case failsInCrowds
    /// The second of two requests at once finds the connection closed.
    case forgetsTheSecond
    /// A clock of twelve hours.
    case takesMidnightForNoon, takesAfternoonsForMornings
    /// The second request of a connection finds it closed: each time, once, and where the answer had a time for it.
    case closesIdle, closesIdleOnce, closesIdleAsStated
    /// The second request of a connection is not answered; an answer says that it is a byte longer; a proxy has nothing behind it.
    case isSilentBehindFirst, claimsAByteMore, hasNoUpstream
    case acknowledgesLongHeads, answersHEADWithABody, leavesBodiesUnread, readsAsFarAsItGoes
    case skipsWhatEndsWithAKnown, losesOtherDays, dropsBehindABadFirst, dropsRests, escapesHTML, takesOneForAPercent
    case failsAtTwoBad, dropsTomorrow, forgetsFloors, forgetsAccuracies, forgetsTimeOfRecording, dropsLongNames
    /// In uploads alone, the latter behind 48 letters.
    case cutsLongNames
    /// What it knows is answered with 204 and a body; the fiftieth answer of a connection is its last, and does not say so.
    case answersRepeatsWithABody, closesBehindFifty
    /// None: a new phone gets a setConfig with its first answer.
    case configuresNewPhones
  }

  struct Entry {
    let device: String
    let uuid: String
    var record: StoredValue
    /// When its list begins to show it.
    var shownFrom = WallInstant(millisecondsSince1970: 0)
    /// When it came, and how often it was listed.
    var came = WallInstant(millisecondsSince1970: 0)
    var timesListed = 0

    var text: String {
      "{\"device\":\(StoredValue.text(device).shown),\"uuid\":\"\(uuid)\",\"record\":\(record.shown)}"
    }

    /// As a list of another form has it.
    func text(in listing: Listing) -> String {
      var (row, uuid) = (record, uuid)
      let place = (record.value(at: "coords.latitude")?.shown ?? "", record.value(at: "coords.longitude")?.shown ?? "")
      let time = record["timestamp"]?.instant?.millisecondsSince1970 ?? 0
      var more = ""
      switch listing {
      case .identities: return "\"\(uuid)\""
      case .withoutHyphens:
        row = row.replacing("uuid", nil)
        uuid = uuid.filter { $0 != "-" }
      case .otherUUIDs, .ownUUIDs:
        row = row.replacing("uuid", nil)
        if listing == .otherUUIDs { more = ",\"client\":{\"ref\":\"\(uuid)\"}" }
        uuid = "00000000-0000-4000-8000-" + uuid.suffix(12)
      case .changing: more = ",\"fetched_at\":\(SystemClock().wallNow.millisecondsSince1970)"
      case .microseconds: row = row.replacing("timestamp", .number("\(time)000"))
      case .nanoseconds: row = row.replacing("timestamp", .number("\(time)000000"))
      case .ofOneMeridian: row = row.onOneMeridian
      case .ownWords: row = row.inOwnWords
      case .withoutZeros: row = row.withZeros(as: nil)
      case .withoutZerosAndFalse: row = row.withZeros(as: nil).withoutFalse
      case .timesUnderAnotherName:
        (row, more) = (row.replacing("timestamp", nil).replacing("recorded_at", nil), ",\"ts_ms\":\(time)")
      case .timesSinceTwoThousandAndOne: row = row.replacing("timestamp", .number("\(time / 1_000 - 978_307_200)"))
      case .flagsAsText: row = row.replacing("is_moving", row["is_moving"]?.flag.map { .text($0 ? "Y" : "N") })
      case .wholeDegrees: row = row.inWholeParts
      case .unreadableTimes: row = row.replacing("timestamp", .text("day \(time / 86_400_000)"))
      case .columns:
        let extras = record["extras"]?.shown ?? "null"
        return """
          {"uuid":"\(uuid)","time":\(time),"lat":\(place.0),"lon":\(place.1),"event":\(record["event"]?.shown ?? "null"),"extras":\(extras)}
          """
      case .splitTimes:
        let text = record["timestamp"]?.string ?? ""
        row = row.replacing("timestamp", nil).replacing("recorded_at", nil)
        more = ",\"day\":\"\(text.prefix(10))\",\"clock\":\"\(text.dropFirst(11).prefix(12))\""
      case .geoJSON, .texts, .placeless:
        row = row.withoutPlace
        if listing == .geoJSON { more = ",\"geometry\":{\"coordinates\":[\(place.1),\(place.0)]}" }
        if listing == .texts { more = ",\"geom\":\"POINT(\(place.1) \(place.0))\"" }
      default: return text
      }
      return Entry(device: device, uuid: uuid, record: row).text.dropLast() + more + "}"
    }
  }

  /// How its list answers, where that is no defect.
  enum Listing: Sendable {
    case whole, identities, fails, isMissing, needsADevice, knowsItsDevices, failsNowAndThen, isMissingWhileEmpty
    /// It takes its time for one device, as for one with a long list, or for each.
    case isSlowOnce, isSlow
    case wrapped, withoutHyphens, changing, microseconds, nanoseconds, unreadableTimes, geoJSON, texts, placeless
    case otherUUIDs, ownUUIDs
    /// A pole has no longitude, and 180° west is 180° east.
    case ofOneMeridian
    /// A quantity that is 0 is left out, or whatever is 0 or false.
    case withoutZeros, withoutZerosAndFalse
    /// In columns and units of its own.
    case timesUnderAnotherName, timesSinceTwoThousandAndOne, flagsAsText, wholeDegrees
    /// It ends at so many entries.
    case firstHundred, newestHundred
    /// Each 64th is left out, from the sixteenth on.
    case skipsRows
    /// A hundred on a page, and the place of the next one under a name that the dialect does not know.
    case hasPages
    /// A table that has not everything.
    case columns
    /// A column for the date and one for the time of day; its own words for events.
    case splitTimes, ownWords
  }

  let defect: Defect?
  let listing: Listing
  /// Each upload of so many is refused, as it is busy.
  private let busyAt: Int?
  private let entries = Mutex<[Entry]>([])
  /// The number of answers of each connection.
  let answers = Mutex<[Int: Int]>([:])
  let latest = Mutex<[String: (connection: Int, time: WallInstant)]>([:])
  private let questions = Atomic(0)
  let uploads = Atomic(0)
  /// Connections over which the clause of idle ones has uploaded.
  let idle = Mutex<Set<Int>>([])
  let hasFailed = Atomic(false)
  /// It stores nothing any more, until it is restarted.
  let hasStopped = Atomic(false)
  /// It goes away with the first OPTIONS, which a run asks while it restarts a backend, and comes back with the next.
  let restarts: Bool
  let isAway = Atomic(false)

  init(_ defect: Defect?, listing: Listing = .whole, busyAt: Int? = nil, restarts: Bool = true) {
    (self.defect, self.listing, self.busyAt, self.restarts) = (defect, listing, busyAt, restarts)
  }

  /// So many milliseconds a backend remembers a uuid that does so for a moment.
  static let moment: Int64 = 300

  static let dialect = #"""
    {
      version: 1, path: "/locations",
      app: { http: { params: { device_id: "${device.id}" } } },
      verify: { url: "/stored?device={device}" },
      promises: { tokens: "none", keeps: ["event", "geofence", "extras", "battery", "activity"] },
    }
    """#

  /// The verdict of one clause about this backend.
  func verdict(on clause: String, dialect: String = ScriptedBackend.dialect) throws -> ConformanceVerdict? {
    try summary(of: [clause], dialect: dialect).results.first { $0.clause.id == clause }?.verdict
  }

  /// A run of some clauses.
  func summary(
    of clauses: Set<String>, dialect: String = ScriptedBackend.dialect, isSerial: Bool = false,
    isInterrupted: Bool = false, within limit: Nanoseconds? = nil, timeForDevices: Nanoseconds = .seconds(12),
    timeAway: Nanoseconds = .milliseconds(500), idleTime: Nanoseconds = .milliseconds(7_500),
    restartTimeout: Nanoseconds = .seconds(20), answerTime: Nanoseconds = .seconds(10)
  ) throws -> ConformanceSummary {
    let server = try BareServer(isSerial: isSerial) { self.respond(to: $0) }
    let target = ConformanceTarget(
      "http://127.0.0.1:\(server.port)", try DialectReader().read(dialect), adminToken: nil)
    var settings = ConformanceRun.Settings(seed: 7, start: SystemClock().wallNow)
    (settings.only, settings.timeLimit) = (clauses, limit)
    (settings.timeForDevices, settings.timeAway, settings.idleTime) = (timeForDevices, timeAway, idleTime)
    (settings.restartTimeout, settings.answerTime) = (restartTimeout, answerTime)
    let run = ConformanceRun(target, settings)
    if isInterrupted { run.interrupt() }
    let results = run.run { _, _ in }
    var summary = ConformanceSummary(results, of: target, settings, seconds: 1)
    summary.wasInterrupted = run.wasInterrupted
    return summary
  }

  /// With a restart, which it sees as an OPTIONS request.
  static let restartable = String(dialect.dropLast(2) + #"  restart: "sleep 0.3" }"#)

  /// What `--learn` proposes.
  func proposal(dialect: String = "{ version: 1, path: '/locations' }") throws -> String {
    let server = try BareServer { self.respond(to: $0) }
    return DialectProposal(
      ConformanceTarget("http://127.0.0.1:\(server.port)", try DialectReader().read(dialect), adminToken: nil)
    ).text ?? ""
  }

  private func restart() -> BareServer.Answer {
    if defect != .staysAway, isAway.exchange(false, ordering: .relaxed) { return answer(404) }
    if defect == .forgetsAtRestart { entries.withLock { _ = $0.popLast() } }
    hasStopped.store(false, ordering: .relaxed)
    isAway.store(true, ordering: .relaxed)
    return answer(503)
  }

  private func respond(to request: BareServer.Request) -> BareServer.Answer {
    let line = request.lines[0].split(separator: " ")
    let (method, path) = (line[0], line.count > 1 ? String(line[1]) : "/")
    if method == "GET", path.hasPrefix("/stored?device=") { return list(String(path.dropFirst(15))) }
    if method == "OPTIONS", restarts { return restart() }
    if isAway.load(ordering: .relaxed) { return .reset([]) }
    if method == "HEAD", defect == .cutsHEAD { return .reset([]) }
    if let answer = oddAnswer(to: request) { return answer }
    let isUpload = path == "/locations" || path.hasPrefix("/of/")
    guard isUpload, method == "POST" else {
      return defect == .acknowledgesOtherPaths ? .ok() : answer(404)
    }
    switch defect {
    case .wantsAKey: return answer(403, #"{"error":"key"}"#)
    case .redirects: return .text("HTTP/1.1 301 Moved\r\nLocation: /locations/\r\nContent-Length: 0\r\n\r\n")
    case .fails: return answer(500)
    default: break
    }
    if defect == .failsAtEachSeventh, uploads.add(1, ordering: .relaxed).newValue.isMultiple(of: 7) {
      return answer(500)
    }
    let isMotionChange = StoredValue(request.body)?["location"]?.shown.contains("motionchange") ?? false
    if defect == .failsOnce, isMotionChange, !hasFailed.exchange(true, ordering: .relaxed) { return answer(500) }
    if let busyAt, uploads.add(1, ordering: .relaxed).newValue.isMultiple(of: busyAt) { return answer(429) }
    if leaves(request) { return .reset([]) }
    if isBeyondEight(request) { return .silence }
    if defect == .failsInCrowds, isInCrowd(request) { return answer(500) }
    if defect == .forgetsTheSecond, String(decoding: request.body, as: UTF8.self).contains("pipelined-3") {
      return .close([])
    }
    guard let body = StoredValue(request.body) else {
      return answer(acknowledgesUnreadable(request.body) ? 200 : 400)
    }
    let named = path.hasPrefix("/of/") ? path.dropFirst(4).removingPercentEncoding : body["device_id"]?.string
    guard let named else { return answer(400) }
    if defect == .refusesOneOfACrowd, named.hasSuffix("hundred-at-once-31") { return answer(503) }
    if defect == .losesOverlaps, isBusy(with: named, request.connection) { return success }
    let taken = entries.withLock { take(body, of: named, into: &$0) }
    if let answer = lastAnswer(to: request, taken) ?? firstAnswer(to: named) { return answer }
    let isThird = uploads.add(1, ordering: .relaxed).oldValue % 3 == 2
    return defect == .failsAtEachThird && isThird ? answer(503) : taken
  }

  private func list(_ question: String) -> BareServer.Answer {
    let parts = question.split(separator: "&after=")
    let device = shortened(parts.first.map { $0.removingPercentEncoding ?? String($0) } ?? "")
    let after = parts.count > 1 ? Int64(parts[1]) ?? 0 : 0
    switch listing {
    case .fails: return answer(500)
    case .isMissing: return answer(404)
    case .needsADevice where device.isEmpty: return answer(405)
    case .failsNowAndThen where questions.add(1, ordering: .relaxed).oldValue % 3 == 2: return answer(503)
    case .isSlowOnce where questions.add(1, ordering: .relaxed).oldValue == 0: pause(450)
    case .isSlow: pause(40)
    default: break
    }
    let now = SystemClock().wallNow
    let all = entries.withLock { entries in
      if defect == .listsOldRecordsOnce {
        entries.removeAll { $0.timesListed > 0 && instant(of: $0.record) < now.millisecondsSince1970 - 86_400_000 }
      }
      let mine = entries.indices.filter {
        (device.isEmpty || entries[$0].device == device) && entries[$0].shownFrom <= now
      }
      for index in mine { entries[index].timesListed += 1 }
      return mine.map { entries[$0] }
    }
    if all.isEmpty, listing == .knowsItsDevices { return answer(403) }
    if all.isEmpty, listing == .isMissingWhileEmpty { return answer(404) }
    if defect == .pagesBySeconds { return page(of: all, String(parts[0]), from: after) }
    if listing == .hasPages { return page(of: all, String(parts[0]), fromEntry: Int(after)) }
    let shown = shown(of: all)
    let list = "[" + shown.map { $0.text(in: listing) }.joined(separator: ",") + "]"
    return .ok(listing == .wrapped ? "{\"points\":\(list),\"next\":null}" : list)
  }

  private func pause(_ milliseconds: Int) { _ = Semaphore().wait(milliseconds: milliseconds) }

  func answer(_ status: Int, _ body: String = "", type: String = "application/json") -> BareServer.Answer {
    .text("HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  var success: BareServer.Answer {
    switch defect {
    case .acknowledgesWith202: answer(202)
    case .answersWithAPage: answer(200, "<html>It works!</html>", type: "text/html")
    case .answersNestedCommands: answer(200, #"{"data":{"background_geolocation":[["stop"]]}}"#)
    case .stopsEverybody: answer(200, #"{"background_geolocation":[["stop"]]}"#)
    case .sendsUnknownCommands: answer(200, #"{"background_geolocation":[["setMood","calm"]]}"#)
    case .saysThatItIsJSON: answer(200, "OK")
    case .claimsAByteMore: .text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}")
    case .closesIdleAsStated:
      .text("HTTP/1.1 200 OK\r\nKeep-Alive: max=9, timeout=0\r\nContent-Length: 2\r\n\r\n{}")
    default: answer(200, "{}")
    }
  }

  private func take(_ body: StoredValue, of named: String, into entries: inout [Entry]) -> BareServer.Answer {
    let number = defect == .numbersDevices ? Int(named).map { "\($0)" } : nil
    let device = defect == .filesElsewhere ? "all" : number ?? cut(shortened(named))
    if defect == .dropsLongNames, device.utf8.count > 32 { return success }
    if defect == .losesOneOfACrowd, device.hasSuffix("at-once-31") || device.hasSuffix("beside-bad-11") {
      return success
    }
    if hasStopped.load(ordering: .relaxed) { return defect == .stopsToStoreAtABadRecord ? success : answer(500) }
    var records: [StoredValue] = []
    switch body["location"] {
    case .list where defect == .takesNoBatches: return answer(503)
    case .list(let list)?:
      records = defect == .firstOfBatch ? Array(list.prefix(1)) : list
      if defect == .keepsAHundredOfABatch, records.count > 100 { records.removeLast(records.count - 100) }
      if defect == .losesTheLastOfTwenty, records.count >= 20 { records.removeLast() }
      if defect == .dropsSecondOfBatch, records.count > 1 { records.remove(at: 1) }
    case let single?: records = [single]
    case nil: return answer(400)
    }
    if defect == .failsAtTwoBad, records.count(where: { $0["coords"] == nil }) > 1 { return answer(500) }
    if defect == .answersRepeatsWithABody, areKnown(records, of: device, in: entries) {
      return .text("HTTP/1.1 204 X\r\n\r\n{}")
    }
    records = shortened(records, of: device, beside: entries)
    if defect == .failsAtTheFirstLargeBatch, records.count > 20, !hasFailed.exchange(true, ordering: .relaxed) {
      return answer(500)
    }
    if defect == .sharesExtras, records.count > 1 {
      let extras = records[0]["extras"]
      records = records.map { $0.replacing("extras", extras) }
    }
    for var record in records {
      if defect == .losesEachSeventh, losesNext() { continue }
      if defect == .fillsGapsFromBefore, record["battery"] == nil { record = record.filled(from: entries.last?.record) }
      let hasPlace = record.value(at: "coords.latitude")?.double != nil
      if !hasPlace {
        if defect == .stopsAtABadRecord || defect == .stopsToStoreAtABadRecord {
          hasStopped.store(true, ordering: .relaxed)
        }
        if defect == .isBusyAtABadRecord { return answer(503) }
        if defect == .rollsBackAtABadRecord, let last = entries.last, last.device != device,
          SystemClock().wallNow.milliseconds(since: last.came) < 100
        {
          entries.removeLast()
        }
        if refusesBadRecord(in: records, of: device, beside: &entries) { return answer(400) }
        continue
      }
      if let status = refusal(of: record) { return answer(status) }
      guard let kept = changed(record), let uuid = kept["uuid"]?.string else { continue }
      let now = SystemClock().wallNow
      let isKnown = isKnown(kept, uuid, of: device, in: entries, at: now)
      if isKnown, defect == .refusesRepeats { return answer(409) }
      if isKnown, defect == .stopsAtARepeat { hasStopped.store(true, ordering: .relaxed) }
      overwrite(with: kept, of: device, isKnown: isKnown, in: &entries)
      if !isKnown || defect == .storesRepeats {
        let late = lateness(of: records.count, of: device)
        let isSixth = record["uuid"]?.string == records.dropFirst(5).first?["uuid"]?.string
        let other = defect == .filesTheSixthElsewhere && isSixth
        entries.append(
          Entry(
            device: other ? entries.first?.device ?? device : device, uuid: uuid, record: kept,
            shownFrom: now.advanced(byMilliseconds: late), came: now))
      }
      let mine = defect == .keepsNewest ? entries.indices.filter { entries[$0].device == device } : []
      if mine.count > 100 { entries.remove(at: mine[0]) }
    }
    return success
  }
}
