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
    case redirects, fails, storesNothing, filesElsewhere, acknowledgesWith202, answersWithAPage, firstOfBatch, listsTen
    case storesRepeats, refusesRepeats, keyIsTime, keyIsSecond, keyIsPlace, keepsNewest
    case dropsOldRecords, dropsLateRecords, refusesBatchWithABadRecord, refusesABadRecord
    case swapsCoordinates, roundsCoordinates, cutsMilliseconds, shiftsTimes, dropsExtras, makesDoublesOfIntegers
    case failsAtNUL, failsAtHalfASurrogate, failsAtMissingFields, writesNullAsText, dropsHeartbeats, forgetsGeofences
    case commitsLate, dropsSecondOfBatch, failsAtEachThird, stopsAtABadRecord, stopsAtNUL, stopsToStoreAtABadRecord
    case takesNoBatches, isBusyAtABadRecord, forgetsAtRestart, takesEpochForSeconds
    case answersNestedCommands, stopsEverybody, saysThatItIsJSON, acknowledgesUnreadableBodies, acknowledgesOtherPaths
    case losesOneOfACrowd, forgetsGeofenceExtras, cutsTexts, dropsLongExtras, neverCharges, isAlwaysSure
    case swapsInTheSouth, losesTheLastOfTwenty, keepsAHundredOfABatch, listsAHundred, filesTheSixthElsewhere
    case roundsToFrames, makesFalseOfNull, cutsLists, commitsBatchesLate, numbersDevices, entersAlways
    case losesOverlaps, countsInSummerTime, refusesOldRecords, datesOldRecordsAnew, cutsHEAD
  }

  private struct Entry {
    let device: String
    let uuid: String
    let record: StoredValue
    /// When its list begins to show it.
    var shownFrom = WallInstant(millisecondsSince1970: 0)

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
      case .unreadableTimes: row = row.replacing("timestamp", .text("day \(time / 86_400_000)"))
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
  }

  private let defect: Defect?
  private let listing: Listing
  /// Each upload of so many is refused, as it is busy.
  private let busyAt: Int?
  private let entries = Mutex<[Entry]>([])
  private let latest = Mutex<[String: (connection: Int, time: WallInstant)]>([:])
  private let questions = Atomic(0)
  private let uploads = Atomic(0)
  /// It stores nothing any more, until it is restarted: what a run asks first behind a restart is OPTIONS.
  private let hasStopped = Atomic(false)

  init(_ defect: Defect?, listing: Listing = .whole, busyAt: Int? = nil) {
    (self.defect, self.listing, self.busyAt) = (defect, listing, busyAt)
  }

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
    isInterrupted: Bool = false, within limit: Nanoseconds? = nil, timeForDevices: Nanoseconds = .seconds(12)
  ) throws -> ConformanceSummary {
    let server = try BareServer(isSerial: isSerial) { self.respond(to: $0) }
    let target = ConformanceTarget(
      "http://127.0.0.1:\(server.port)", try DialectReader().read(dialect), adminToken: nil)
    var settings = ConformanceRun.Settings(seed: 7, start: SystemClock().wallNow)
    (settings.only, settings.timeLimit, settings.timeForDevices) = (clauses, limit, timeForDevices)
    let run = ConformanceRun(target, settings)
    if isInterrupted { run.interrupt() }
    let results = run.run { _, _ in }
    var summary = ConformanceSummary(results, of: target, settings, seconds: 1)
    summary.wasInterrupted = run.wasInterrupted
    return summary
  }

  /// What `--learn` proposes.
  func proposal(dialect: String = "{ version: 1, path: '/locations' }") throws -> String {
    let server = try BareServer { self.respond(to: $0) }
    return DialectProposal(
      ConformanceTarget("http://127.0.0.1:\(server.port)", try DialectReader().read(dialect), adminToken: nil)
    ).text
  }

  private func respond(to request: BareServer.Request) -> BareServer.Answer {
    let line = request.lines[0].split(separator: " ")
    let (method, path) = (line[0], line.count > 1 ? String(line[1]) : "/")
    if method == "GET", path.hasPrefix("/stored?device=") { return list(String(path.dropFirst(15))) }
    if method == "OPTIONS", defect == .forgetsAtRestart { entries.withLock { _ = $0.popLast() } }
    if method == "OPTIONS" { hasStopped.store(false, ordering: .relaxed) }
    if method == "HEAD", defect == .cutsHEAD { return .reset([]) }
    let isUpload = path == "/locations" || path.hasPrefix("/of/")
    guard isUpload, method == "POST" else {
      return defect == .acknowledgesOtherPaths ? .ok() : answer(404)
    }
    switch defect {
    case .redirects: return .text("HTTP/1.1 301 Moved\r\nLocation: /locations/\r\nContent-Length: 0\r\n\r\n")
    case .fails: return answer(500)
    default: break
    }
    if let busyAt, uploads.add(1, ordering: .relaxed).newValue.isMultiple(of: busyAt) { return answer(429) }
    guard let body = StoredValue(request.body) else {
      return answer(defect == .acknowledgesUnreadableBodies ? 200 : 400)
    }
    let named = path.hasPrefix("/of/") ? path.dropFirst(4).removingPercentEncoding : body["device_id"]?.string
    guard let named else { return answer(400) }
    if defect == .losesOverlaps, isBusy(with: named, request.connection) { return success }
    let taken = entries.withLock { take(body, of: named, into: &$0) }
    let isThird = uploads.add(1, ordering: .relaxed).oldValue % 3 == 2
    return defect == .failsAtEachThird && isThird ? answer(503) : taken
  }

  /// An upload of the device came over another connection just now.
  private func isBusy(with device: String, _ connection: Int) -> Bool {
    let now = SystemClock().wallNow
    return latest.withLock { latest in
      let before = latest[device]
      latest[device] = (connection, now)
      return before.map { $0.connection != connection && now.milliseconds(since: $0.time) < 20 } ?? false
    }
  }

  private func list(_ device: String) -> BareServer.Answer {
    let device = device.removingPercentEncoding ?? device
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
    let all = entries.withLock { $0 }.filter { (device.isEmpty || $0.device == device) && $0.shownFrom <= now }
    if all.isEmpty, listing == .knowsItsDevices { return answer(403) }
    if all.isEmpty, listing == .isMissingWhileEmpty { return answer(404) }
    let shown = defect == .listsTen ? all.prefix(10) : defect == .listsAHundred ? all.prefix(100) : all[...]
    let list = "[" + shown.map { $0.text(in: listing) }.joined(separator: ",") + "]"
    return .ok(listing == .wrapped ? "{\"points\":\(list),\"next\":null}" : list)
  }

  private func pause(_ milliseconds: Int) { _ = Semaphore().wait(milliseconds: milliseconds) }

  private func answer(_ status: Int, _ body: String = "", type: String = "application/json") -> BareServer.Answer {
    .text("HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  private var success: BareServer.Answer {
    switch defect {
    case .acknowledgesWith202: answer(202)
    case .answersWithAPage: answer(200, "<html>It works!</html>", type: "text/html")
    case .answersNestedCommands: answer(200, #"{"data":{"background_geolocation":[["stop"]]}}"#)
    case .stopsEverybody: answer(200, #"{"background_geolocation":[["stop"]]}"#)
    case .saysThatItIsJSON: answer(200, "OK")
    default: answer(200, "{}")
    }
  }

  private func take(_ body: StoredValue, of named: String, into entries: inout [Entry]) -> BareServer.Answer {
    let number = defect == .numbersDevices ? Int(named).map { "\($0)" } : nil
    let device = defect == .filesElsewhere ? "all" : number ?? named
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
    for record in records {
      let hasPlace = record.value(at: "coords.latitude")?.double != nil
      if !hasPlace {
        if defect == .stopsAtABadRecord || defect == .stopsToStoreAtABadRecord {
          hasStopped.store(true, ordering: .relaxed)
        }
        if defect == .isBusyAtABadRecord { return answer(503) }
        if defect == .refusesBatchWithABadRecord || defect == .refusesABadRecord && records.count == 1 {
          return answer(400)
        }
        continue
      }
      if let status = refusal(of: record) { return answer(status) }
      guard let kept = changed(record), let uuid = record["uuid"]?.string else { continue }
      let isKnown = entries.contains { $0.device == device && isSame($0.record, kept, $0.uuid == uuid) }
      if isKnown, defect == .refusesRepeats { return answer(409) }
      if !isKnown || defect == .storesRepeats {
        let isLate = defect == .commitsLate || defect == .commitsBatchesLate && records.count > 5
        let late: Int64 = isLate ? 400 : 0
        let isSixth = record["uuid"]?.string == records.dropFirst(5).first?["uuid"]?.string
        let other = defect == .filesTheSixthElsewhere && isSixth
        entries.append(
          Entry(
            device: other ? entries.first?.device ?? device : device, uuid: uuid, record: kept,
            shownFrom: SystemClock().wallNow.advanced(byMilliseconds: late)))
      }
      let mine = entries.indices.filter { entries[$0].device == device }
      if defect == .keepsNewest, mine.count > 100 { entries.remove(at: mine[0]) }
    }
    return success
  }

  private func refusal(of record: StoredValue) -> Int? {
    let text = record.value(at: "extras.a")?.string ?? ""
    let age = record["timestamp"]?.instant.map { SystemClock().wallNow.milliseconds(since: $0) } ?? 0
    switch defect {
    case .refusesOldRecords where age > 30 * 86_400_000: return 422
    case .failsAtNUL where text.unicodeScalars.contains("\u{0}"): return 500
    case .stopsAtNUL where text.unicodeScalars.contains("\u{0}"):
      hasStopped.store(true, ordering: .relaxed)
      return nil
    case .failsAtHalfASurrogate where text.unicodeScalars.contains("\u{FFFD}"): return 500
    case .failsAtMissingFields where record["battery"] == nil && record["extras"] == nil: return 500
    default: return nil
    }
  }

  private func isSame(_ old: StoredValue, _ new: StoredValue, _ isSameUUID: Bool) -> Bool {
    func time(_ value: StoredValue) -> Int64 { value["timestamp"]?.instant?.millisecondsSince1970 ?? 0 }
    switch defect {
    case .keyIsTime: return time(old) == time(new)
    case .keyIsSecond: return time(old) / 1_000 == time(new) / 1_000
    case .keyIsPlace:
      return ["coords.latitude", "coords.longitude"].allSatisfy {
        old.value(at: $0)?.double == new.value(at: $0)?.double
      }
    default: return isSameUUID
    }
  }

  /// As the backend keeps a record; nil when it drops it.
  private func changed(_ record: StoredValue) -> StoredValue? {
    let now = SystemClock().wallNow
    let age = record["timestamp"]?.instant.map { now.milliseconds(since: $0) } ?? 0
    switch defect {
    case .storesNothing: return nil
    case .dropsOldRecords: return age > 86_400_000 ? nil : record
    case .datesOldRecordsAnew:
      return age > 30 * 86_400_000 ? record.replacing("timestamp", record.shifted(by: age)) : record
    case .dropsLateRecords: return age > 9_000_000 ? nil : record
    case .dropsHeartbeats: return record["event"]?.string == "heartbeat" ? nil : record
    case .forgetsGeofences: return record.replacing("geofence", nil)
    case .entersAlways: return record.replacing("geofence", record["geofence"]?.replacing("action", .text("ENTER")))
    case .dropsLongExtras: return (record["extras"]?.shown.utf8.count ?? 0) > 4_000 ? nil : record
    case .neverCharges: return record.replacing("battery", record["battery"]?.replacing("is_charging", .bool(false)))
    case .isAlwaysSure: return record.replacing("activity", record["activity"]?.replacing("confidence", .number("92")))
    case .cutsTexts:
      let note = record.value(at: "extras.note")?.string
      return note.map {
        record.replacing("extras", .object([("note", .text(String($0.prefix(100))))]))
      } ?? record
    case .forgetsGeofenceExtras:
      return record.replacing("geofence", record["geofence"]?.replacing("extras", nil))
    case .dropsExtras: return record.replacing("extras", nil)
    case .makesDoublesOfIntegers: return record.replacing("extras", record["extras"]?.throughDoubles)
    case .writesNullAsText:
      return record.replacing("event", record["event"].map { if case .null = $0 { .text("null") } else { $0 } })
    case .cutsMilliseconds: return record.replacing("timestamp", record.shifted(by: -(instant(of: record) % 1_000)))
    case .roundsToFrames:
      let time = instant(of: record)
      // Steps of a three-hundredth of a second.
      return record.replacing("timestamp", record.shifted(by: ((time * 3 + 5) / 10 * 10 + 1) / 3 - time))
    case .makesFalseOfNull:
      guard case .null? = record["is_moving"] else { return record }
      return record.replacing("is_moving", .bool(false))
    case .cutsLists:
      guard case .list(let list)? = record.value(at: "extras.a") else { return record }
      return record.replacing("extras", record["extras"]?.replacing("a", .list(Array(list.prefix(3)))))
    case .takesEpochForSeconds:
      guard case .number(let digits)? = record["timestamp"] else { return record }
      return record.replacing("timestamp", .number(digits + "000"))
    case .shiftsTimes: return record.replacing("timestamp", record.shifted(by: 7_200_000))
    case .countsInSummerTime:
      let month = record["timestamp"]?.string.flatMap { Int($0.dropFirst(5).prefix(2)) } ?? 0
      return 4...9 ~= month ? record.replacing("timestamp", record.shifted(by: 3_600_000)) : record
    case .swapsCoordinates, .roundsCoordinates, .swapsInTheSouth:
      let (latitude, longitude) = (
        record.value(at: "coords.latitude")?.double ?? 0, record.value(at: "coords.longitude")?.double ?? 0
      )
      func rounded(_ degrees: Double) -> StoredValue { .number("\((degrees * 100_000).rounded() / 100_000)") }
      let isSouth = latitude < 0 && abs(longitude) <= 90
      if defect == .swapsInTheSouth, !isSouth { return record }
      let isSwapped = defect != .roundsCoordinates
      let coords: StoredValue = .object([
        ("latitude", isSwapped ? .number("\(longitude)") : rounded(latitude)),
        ("longitude", isSwapped ? .number("\(latitude)") : rounded(longitude)),
      ])
      return record.replacing("coords", coords)
    default: return record
    }
  }

  private func instant(of record: StoredValue) -> Int64 { record["timestamp"]?.instant?.millisecondsSince1970 ?? 0 }
}

extension StringProtocol {
  /// Nil when a byte is no percent-encoded one, or they are no text.
  fileprivate var removingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = Substring(self)
    while let letter = rest.utf8.first {
      guard letter == UInt8(ascii: "%") else {
        // What may not stand in a URL was not encoded.
        guard letter > 0x20, letter < 0x7F else { return nil }
        bytes.append(letter)
        rest = Substring(rest.utf8.dropFirst())
        continue
      }
      guard let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(3)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension StoredValue {
  fileprivate func replacing(_ key: String, _ value: StoredValue?) -> StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.compactMap { member in
        member.key != key ? member : value.map { (key, $0) }
      })
  }

  fileprivate var withoutPlace: StoredValue {
    let coords = self["coords"]?.replacing("latitude", nil).replacing("longitude", nil)
    return replacing("coords", coords)
  }

  fileprivate func shifted(by milliseconds: Int64) -> StoredValue? {
    self["timestamp"]?.instant.map { .text($0.advanced(byMilliseconds: milliseconds).iso8601Text) }
  }

  fileprivate var throughDoubles: StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(members.map { ($0.key, $0.value.double.map { .number("\($0)") } ?? $0.value) })
  }
}

extension String {
  func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
