import Base
import Synchronization
import Threads

@testable import BackendStore
@testable import Conformance

/// What the backend makes of a record.
extension ScriptedBackend {
  func refusal(of record: StoredValue) -> Int? {
    let text = record.value(at: "extras.s")?.string ?? ""
    let age = record["timestamp"]?.instant.map { SystemClock().wallNow.milliseconds(since: $0) } ?? 0
    switch defect {
    case .refusesUnknownAccuracy where record.value(at: "coords.accuracy")?.double == -1: return 422
    case .failsAtOldRecords where age > 30 * 86_400_000: return 500
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

  func refusesBadRecord(in records: [StoredValue], of device: String, beside entries: inout [Entry]) -> Bool {
    guard defect == .knowsWhatItRefuses, records.count > 1 else {
      return defect == .refusesBatchWithABadRecord || defect == .refusesABadRecord && records.count == 1
    }
    let uuids = Set(records.compactMap { $0["uuid"]?.string })
    entries.removeAll { $0.device == device && uuids.contains($0.uuid) }
    let never = WallInstant(millisecondsSince1970: 4_102_444_800_000)
    entries += records.compactMap { record in
      record["uuid"]?.string.map { Entry(device: device, uuid: $0, record: record, shownFrom: never) }
    }
    return true
  }

  func acknowledgesUnreadable(_ body: [UInt8]) -> Bool {
    // Whole records stand before the end.
    defect == .acknowledgesUnreadableBodies
      || defect == .readsAsFarAsItGoes && String(decoding: body, as: UTF8.self).contains("},{\"")
  }

  /// What is taken of the records of an upload.
  func shortened(_ records: [StoredValue], of device: String, beside entries: [Entry]) -> [StoredValue] {
    guard let first = records.first, let last = records.last else { return records }
    func place(_ record: StoredValue) -> [Double?] {
      ["coords.latitude", "coords.longitude"].map { record.value(at: $0)?.double }
    }
    func isOfDevice(_ record: StoredValue) -> Bool {
      entries.contains { $0.device == device && $0.uuid == record["uuid"]?.string }
    }
    switch defect {
    case .skipsWhatEndsWithAKnown: return records.count > 1 && isOfDevice(last) ? [] : records
    case .dropsBehindABadFirst: return place(first)[0] == nil ? [] : records
    case .dropsTomorrow:
      let tomorrow = SystemClock().wallNow.millisecondsSince1970 + 86_400_000
      return records.filter { instant(of: $0) <= tomorrow }
    case .losesOtherDays:
      return records.filter { instant(of: $0) / 86_400_000 == instant(of: first) / 86_400_000 }
    case .dropsRests:
      let before = records[0]
      return records.enumerated().filter { index, record in
        guard record["is_moving"]?.flag == false, place(record)[0] != nil else { return true }
        let isHere = entries.contains { $0.device == device && place($0.record) == place(record) }
        return !isHere && (index == 0 || place(before) != place(record))
      }.map(\.element)
    default: return records
    }
  }

  /// The first clauses find nothing.
  func losesNext() -> Bool {
    let number = uploads.add(1, ordering: .relaxed).newValue
    return number > 120 && number.isMultiple(of: 7)
  }

  func cut(_ device: String) -> String { defect == .cutsLongNames ? String(device.prefix(48)) : device }

  func areKnown(_ records: [StoredValue], of device: String, in entries: [Entry]) -> Bool {
    records.allSatisfy { record in
      entries.contains { $0.device == device && $0.uuid == record["uuid"]?.string }
    }
  }

  func shortened(_ device: String) -> String { defect == .cutsNames ? String(device.prefix(8)) : device }

  /// Milliseconds until the list shows what has come in one upload.
  func lateness(of count: Int, of device: String) -> Int64 {
    switch defect {
    case .commitsLate: return 400
    case .commitsBatchesLate: return count > 5 ? 400 : 0
    case .listsTwoLate, .losesTwoOnce:
      let isOfClause = ["-week-late-1", "-minute-early-1"].contains { device.hasSuffix($0) }
      if !isOfClause || device.contains("-again") { return 0 }
      return defect == .listsTwoLate ? 2_500 : 86_400_000
    default: return 0
    }
  }

  func isSame(_ old: StoredValue, _ new: StoredValue, _ isSameUUID: Bool) -> Bool {
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
  func changed(_ record: StoredValue) -> StoredValue? {
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
    case .cutsUUIDs: return record.replacing("uuid", (record["uuid"]?.string).map { .text(String($0.prefix(13))) })
    case .lowersKeys: return record.replacing("extras", record["extras"]?.withLowerKeys)
    case .makesNullOfZero: return record.withZeros(as: .null)
    case .forgetsProvider: return record.replacing("provider", nil)
    case .forgetsNewFields: return record.replacing("new_key", nil)
    case .forgetsConfidence: return record.replacing("activity", record["activity"]?.replacing("confidence", nil))
    case .forgetsZeroAltitude:
      guard record.value(at: "coords.altitude")?.isZero ?? false else { return record }
      return record.replacing("coords", record["coords"]?.replacing("altitude", nil))
    case .cutsTexts:
      let note = record.value(at: "extras.note")?.string
      return note.map {
        record.replacing("extras", .object([("note", .text(String($0.prefix(100))))]))
      } ?? record
    case .forgetsGeofenceExtras:
      return record.replacing("geofence", record["geofence"]?.replacing("extras", nil))
    case .dropsExtras: return record.replacing("extras", nil)
    case .keepsIntegersAsFloats: return record.replacing("extras", record["extras"]?.throughFloats)
    case .makesDoublesOfIntegers: return record.replacing("extras", record["extras"]?.throughDoubles())
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
    case .takesMidnightForNoon, .takesAfternoonsForMornings:
      return record.replacing("timestamp", record.shifted(by: halfOfADay(beside: record)))
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
    default: return withWrongValues(record)
    }
  }

  /// As the backend keeps a record of which it takes single values for others.
  private func withWrongValues(_ record: StoredValue) -> StoredValue {
    switch defect {
    case .makesZeroOfUnknownAccuracy: return record.withZeroForUnknownAccuracy
    case .forgetsFloors: return record.replacing("coords", record["coords"]?.replacing("floor", nil))
    case .forgetsAccuracies:
      let names = ["speed_accuracy", "heading_accuracy", "altitude_accuracy"]
      return record.replacing("coords", names.reduce(record["coords"]) { $0?.replacing($1, nil) })
    case .forgetsTimeOfRecording: return record.replacing("recorded_at", nil).replacing("age", nil)
    case .escapesHTML:
      guard case .object(let members)? = record["extras"] else { return record }
      let escaped = members.map { member in
        (member.key, member.value.string.map { .text($0.replacing("<", with: "&lt;")) } ?? member.value)
      }
      return record.replacing("extras", .object(escaped))
    case .takesOneForAPercent:
      guard record.value(at: "battery.level")?.double == 1 else { return record }
      return record.replacing("battery", record["battery"]?.replacing("level", .number("0.01")))
    default: return record
    }
  }

  /// What a clock of twelve hours is off.
  private func halfOfADay(beside record: StoredValue) -> Int64 {
    let hour = instant(of: record) / 3_600_000 % 24
    let isMidnight = defect == .takesMidnightForNoon
    return (isMidnight ? hour == 0 ? 12 : 0 : hour > 12 ? -12 : 0) * 3_600_000
  }

  /// Returns whether it remembers the record.
  func isKnown(
    _ record: StoredValue, _ uuid: String, of device: String, in entries: [Entry], at now: WallInstant
  ) -> Bool {
    let memory = defect == .remembersTwoHundred ? entries.indices.suffix(200) : entries.indices
    // By index: a loop over thousands of entries, in a build without optimization, would copy each.
    for index in memory where entries[index].device == device {
      if defect == .knowsForAMoment, now.milliseconds(since: entries[index].came) > ScriptedBackend.moment { continue }
      if isSame(entries[index].record, record, entries[index].uuid == uuid) { return true }
    }
    return false
  }

  /// What a record changes in those that are there.
  func overwrite(with record: StoredValue, of device: String, isKnown: Bool, in entries: inout [Entry]) {
    if defect == .thinsOldOnes {
      for index in entries.indices.dropLast(60) {
        entries[index].record = entries[index].record.replacing("battery", nil)
      }
    }
    guard defect == .overwritesRepeats || defect == .keepsOneFenceOfAName else { return }
    let (uuid, fence) = (record["uuid"]?.string, record.value(at: "geofence.identifier")?.string)
    for index in entries.indices where entries[index].device == device {
      let old = entries[index].record
      if defect == .overwritesRepeats, isKnown, entries[index].uuid == uuid {
        entries[index].record = old.replacing("odometer", .number("0"))
      }
      if defect == .keepsOneFenceOfAName, fence != nil, fence == old.value(at: "geofence.identifier")?.string {
        entries[index].record = old.replacing("geofence", record["geofence"])
      }
    }
  }

  func instant(of record: StoredValue) -> Int64 { record["timestamp"]?.instant?.millisecondsSince1970 ?? 0 }
}

extension StoredValue {
  /// What it lacks of a record, from another one.
  func filled(from other: StoredValue?) -> StoredValue {
    guard case .object(let members) = self else { return self }
    let missing = ["battery", "activity"].filter { self[$0] == nil }
    return .object(members + missing.compactMap { key in other?[key].map { (key, $0) } })
  }

  /// The SDK's words of an activity in capitals, and others for events and crossings.
  var inOwnWords: StoredValue {
    let words = ["motionchange": "MOVED", "geofence": "FENCE", "heartbeat": "ALIVE", "providerchange": "PROVIDER"]
    let crossings = ["enter": "IN", "exit": "OUT", "dwell": "STAY"]
    let fence = self["geofence"].map { fence in
      fence.replacing("action", fence["action"]?.string.map { .text(crossings[$0.lowercased()] ?? $0) })
    }
    let activity = self["activity"].map { activity in
      activity.replacing("type", activity["type"]?.string.map { .text($0.uppercased()) })
    }
    return replacing("event", self["event"]?.string.map { .text(words[$0] ?? $0) }).replacing("geofence", fence)
      .replacing("activity", activity)
  }

  var withLowerKeys: StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(members.map { ($0.key.lowercased(), $0.value) })
  }

  var withZeroForUnknownAccuracy: StoredValue {
    guard value(at: "coords.accuracy")?.double == -1 else { return self }
    return replacing("coords", self["coords"]?.replacing("accuracy", .number("0")))
  }

  var onOneMeridian: StoredValue {
    guard let latitude = value(at: "coords.latitude")?.double, let longitude = value(at: "coords.longitude")?.double
    else { return self }
    let shown = abs(latitude) == 90 ? 0 : longitude == -180 ? 180 : longitude
    return replacing("coords", self["coords"]?.replacing("longitude", .number("\(shown)")))
  }

  func replacing(_ key: String, _ value: StoredValue?) -> StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.compactMap { member in
        member.key != key ? member : value.map { (key, $0) }
      })
  }

  /// Another value, or none, for each quantity that is 0.
  func withZeros(as other: StoredValue?) -> StoredValue {
    func changed(_ value: StoredValue?, _ keys: [String]) -> StoredValue? {
      var value = value
      for key in keys where value?[key]?.isZero ?? false { value = value?.replacing(key, other) }
      return value
    }
    let record = replacing("coords", changed(self["coords"], ["speed", "heading", "altitude"]))
      .replacing("battery", changed(self["battery"], ["level"]))
      .replacing("activity", changed(self["activity"], ["confidence"]))
    return changed(record, ["odometer"]) ?? record
  }

  /// As a writer does that leaves out what is 0 or false.
  var withoutFalse: StoredValue {
    func cut(_ value: StoredValue?) -> StoredValue? { value.map(\.withoutZeros) }
    return replacing("battery", cut(self["battery"])).replacing("provider", cut(self["provider"]))
      .replacing("is_moving", self["is_moving"].flatMap { $0.isZero ? nil : $0 })
  }

  /// Degrees in ten millionths.
  var inWholeParts: StoredValue {
    var coords = self["coords"]
    for key in ["latitude", "longitude"] {
      let parts = coords?[key]?.double.map { StoredValue.number("\(Int64(($0 * 1e7).rounded()))") }
      coords = coords?.replacing(key, parts)
    }
    return replacing("coords", coords)
  }

  var withoutPlace: StoredValue {
    let coords = self["coords"]?.replacing("latitude", nil).replacing("longitude", nil)
    return replacing("coords", coords)
  }

  func shifted(by milliseconds: Int64) -> StoredValue? {
    self["timestamp"]?.instant.map { .text($0.advanced(byMilliseconds: milliseconds).iso8601Text) }
  }

  var throughFloats: StoredValue { throughDoubles { Double(Float($0)) } }

  func throughDoubles(_ change: (Double) -> Double = { $0 }) -> StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(members.map { ($0.key, $0.value.double.map { .number("\(change($0))") } ?? $0.value) })
  }
}
