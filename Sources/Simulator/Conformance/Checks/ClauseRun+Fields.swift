import BackendStore
import Base
import Scenario

/// Checks that fields are stored as sent.
extension ClauseRun {
  /// Requires that fields of a record are stored as sent. Fields that the store does not show, or does not show
  /// recognizably, are not judged.
  func expectSame(_ fields: [String], of record: SentRecord, in look: FoundRecords) throws {
    try expectSame(fields, of: record, as: record.value, in: look)
  }

  /// Does the same; `said` is the record's value.
  func expectSame(_ fields: [String], of record: SentRecord, as said: StoredValue, in look: FoundRecords) throws {
    guard let entry = look.entry(of: record) else { return }
    if !fields.isEmpty, !fields.contains(where: record.sends) {
      throw ClauseStop.notApplicable(notSent(fields))
    }
    // What one field leaves open is said after all have been compared.
    var unseen: ClauseStop?
    for field in fields {
      guard let sent = said.value(at: field) else { continue }
      try expectShown(field)
      if let reason = facts.strange(field) {
        unseen = unseen ?? ClauseRun.unseen(field, reason)
      } else if let stored = stored(field, of: record, entry) {
        try expectReadable(stored, field)
        try expectSame(field, sent, as: stored, of: record, entry)
      } else {
        let reason = try excuse(forLacking: field, sent, of: record, entry)
        unseen = unseen ?? reason
      }
    }
    if let unseen { throw unseen }
  }

  /// Requires that the store shows a field at all.
  private func expectShown(_ field: String) throws {
    if facts.listsIdentitiesAlone {
      throw ClauseRun.unseen(field, "the store shows the uuids of records, and nothing else")
    }
    guard !facts.shows(field) else { return }
    if let reason = facts.hidden(field) { throw ClauseRun.unseen(field, reason) }
    throw ClauseStop.notApplicable(facts.absence(of: field) + facts.remedyOfTemplates)
  }

  /// Requires that a time can be compared.
  private func expectReadable(_ stored: StoredValue, _ field: String) throws {
    if field == "timestamp", stored.isTimeWithoutZone {
      throw ClauseRun.unseen(field, RunFacts.withoutZone(stored))
    }
    // A store that shows one time readably and another not has not kept the other.
    if StoredField.isUnreadableTime(stored, field), !facts.readsTimes {
      throw ClauseRun.unseen(
        field,
        "the store's time cannot be read: \(stored.shown.shortened(60)); let the list, its query or its command write it in ISO 8601 or as a number since 1970"
      )
    }
  }

  /// Returns why a record may lack a field that the store shows of others; throws the breach where nothing explains it.
  private func excuse(
    forLacking field: String, _ sent: StoredValue, of record: SentRecord, _ entry: StoredRecord
  ) throws -> ClauseStop {
    if let reason = facts.hidden(field) { return ClauseRun.unseen(field, reason) }
    // In a record of another form than the others, the place of the field is unknown.
    if !record.isTemplated, !facts.takesDefaultSchema {
      return .partly("the store shows no '\(field)' of a record in the default schema")
    }
    if sent.isZero, try listLeavesOutZeros() { return .partly(ClauseRun.reasonOfZeros) }
    throw missing(field, of: record, entry)
  }

  /// Returns the stop of a clause that could not compare a field. A place or a time that is never compared is said beside the
  /// verdict.
  static func unseen(_ field: String, _ reason: String) -> ClauseStop {
    ["timestamp", "coords.latitude", "coords.longitude"].contains(field) ? .partly(reason) : .notJudged(reason)
  }

  /// The stop of a clause about times where the store shows none.
  var noTimeShown: ClauseStop {
    let name = "timestamp"
    return ClauseRun.unseen(name, facts.hidden(name) ?? "the store shows no time\(facts.remedyOfTemplates)")
  }

  /// Requires that a field is stored as sent, whether or not it was seen before; with `isOwed` it must be shown.
  func expectSame(_ field: String, of record: SentRecord, in look: FoundRecords, isOwed: Bool = false) throws {
    guard let entry = look.entry(of: record), let sent = record.value.value(at: field), facts.strange(field) == nil
    else { return }
    guard let stored = stored(field, of: record, entry) else {
      guard isOwed else { return }
      throw missing(field, of: record, entry)
    }
    try expectSame(field, sent, as: stored, of: record, entry)
  }

  /// Requires that a field is stored, with any value.
  func expectPresent(_ field: String, of record: SentRecord, in look: FoundRecords) throws {
    guard record.sends(field), let entry = look.entry(of: record), entry.value(field) == nil else { return }
    throw missing(field, of: record, entry)
  }

  /// A value that was sent as -1 is stored as -1, or as the store's own word for "unknown".
  func expectUnknown(_ fields: [String], of record: SentRecord, in look: FoundRecords) throws {
    guard let entry = look.entry(of: record) else { return }
    for field in fields
    where facts.shows(field) && facts.strange(field) == nil && record.value.value(at: field) != nil {
      guard let stored = entry.value(field)?.double, stored != -1 else { continue }
      throw fail("\(field) of -1 is stored as \(stored)", harm: .wrong)
    }
  }

  /// Returns why fields that the template does not send by themselves cannot be judged.
  func notSent(_ fields: [String]) -> String {
    "the app's template has no tag for \(fields.map { "'\($0)'" }.joined(separator: ", ")) that makes a value alone"
  }

  private func missing(_ field: String, of record: SentRecord, _ entry: StoredRecord) -> ClauseStop {
    showRequest(of: record)
    return fail(
      "'\(field)' is not stored", harm: .wrong, stored: entry.entry.shown.shortened(300), sign: .field(field))
  }

  private func expectSame(
    _ field: String, _ sent: StoredValue, as stored: StoredValue, of record: SentRecord, _ entry: StoredRecord
  ) throws {
    let difference = StoredField.difference(record.own(stored, field), record.own(sent, field), field)
    guard let difference = difference ?? facts.otherUnit(stored, field) else { return }
    showRequest(of: record)
    throw fail(difference, harm: .wrong, stored: entry.entry.shown.shortened(300), sign: .field(field))
  }
}

extension RunFacts {
  /// The fields that are searched for in the first record.
  static let fields = [
    "is_moving", "odometer", "activity", "battery", "extras", "coords.speed", "coords.heading", "coords.altitude",
    "coords.accuracy", "activity.type", "battery.level", "coords.latitude", "coords.longitude",
  ]

  /// Notes what a first, complete record shows of the store.
  func noteFirst(_ entry: StoredRecord, of record: SentRecord) {
    if let time = entry.value("timestamp"), time.instant != nil { noteReadableTimes(time.epochUnit) }
    noteHidden(RunFacts.fields, in: entry, of: record)
    noteStrange(in: entry, of: record)
    noteOwnWords([("activity.type", .activity), ("is_moving", .isMoving)], in: entry, of: record)
    if record.isTemplated { noteOther(in: entry, of: record) }
    if entry.value("timestamp") == nil { noteHiddenTime(in: entry, of: record) }
    noteHiddenPlace(in: entry)
  }

  /// Notes where the time is that the store shows under no usual name, or in part.
  private func noteHiddenTime(in entry: StoredRecord, of record: SentRecord) {
    if let place = entry.entry.place(of: record.timestamp) {
      note(hidden: "timestamp", RunFacts.unnamed("timestamp", at: place))
    } else if entry.entry.shown.contains(String(record.timestamp.iso8601Text.dropFirst(11).prefix(8))) {
      note(
        hidden: "timestamp",
        "the store shows no 'timestamp' under a usual name, and a time of day by itself: change its query or command to return both as one value"
      )
    }
  }

  /// Notes that the store shows no place. An otherwise complete record has lost its coordinates; one with few fields may show
  /// them in an unknown form.
  private func noteHiddenPlace(in entry: StoredRecord) {
    let places = ["coords.latitude", "coords.longitude"]
    let others = ["coords.accuracy", "coords.speed", "coords.heading", "coords.altitude"]
    guard places.allSatisfy({ entry.value($0) == nil }), others.contains(where: { entry.value($0) == nil }) else {
      return
    }
    for place in places where hidden(place) == nil {
      note(hidden: place, "the store shows no '\(place)' under a usual name: name it in verify.fields")
    }
  }

  /// Notes fields whose values occur in an entry, but under no telling name.
  func noteHidden(_ fields: [String], in entry: StoredRecord, of record: SentRecord) {
    for field in fields where entry.value(field) == nil {
      guard let sent = record.value.value(at: field), let place = entry.entry.place(of: sent) else { continue }
      note(hidden: field, RunFacts.unnamed(field, at: place))
    }
  }

  /// Notes words that the store has in place of the SDK's: they are compared with nothing, unless the dialect promises to keep them.
  func noteOwnWords(_ words: [(field: String, of: KeptField)], in entry: StoredRecord, of record: SentRecord) {
    for (field, kept) in words where !promises(kept) {
      guard let sent = record.value.value(at: field), let stored = entry.value(field),
        StoredField.isOwnWord(stored, insteadOf: sent, field)
      else { continue }
      note(
        strange: field,
        "the store has its own word for \(field) \(sent.shown): \(stored.shown.shortened(40))")
    }
  }

  private static func unnamed(_ field: String, at place: String) -> String {
    "the store shows no '\(field)' under a usual name, and its value at \(place): name it in verify.fields, or change the query or command to return it"
  }

  /// Notes a field that has another value under its likely name and its own elsewhere: the name belongs to something else.
  private func noteOther(in entry: StoredRecord, of record: SentRecord) {
    let said = record.value
    for field in RunFacts.fields + ["timestamp"] where entry.namedPlace(of: field) == nil && strange(field) == nil {
      guard let sent = said.value(at: field), let stored = entry.value(field),
        StoredField.difference(stored, sent, field) != nil
      else { continue }
      let place = field == "timestamp" ? entry.entry.place(of: record.timestamp) : entry.entry.place(of: sent)
      // The shown value may be nearly the same.
      guard let place, entry.entry.values(along: JSONStep.steps(of: place)[...]).first?.equals(stored) != true else {
        continue
      }
      note(
        strange: field,
        "the store shows '\(field)' as \(stored.shown.shortened(40)), and its value at \(place): name it in verify.fields"
      )
    }
  }

  /// Notes numbers in an undocumented unit: scaled integer degrees, percent, and times with another epoch than 1970. A list with such
  /// a number for each record uses a unit of its own.
  private func noteStrange(in entry: StoredRecord, of record: SentRecord) {
    for place in ["coords.latitude", "coords.longitude"] {
      guard let stored = entry.value(place)?.double, let sent = record.value.value(at: place)?.double,
        let part = StoredField.partsOfDegree(stored, insteadOf: sent)
      else { continue }
      note(
        strange: place,
        "the store shows \(place) in parts of a degree, \(Int(part)) to each: \(converted(place, " / \(Int(part))", entry)), or let its query or command divide it"
      )
    }
    let level = "battery.level"
    if let sent = record.value.value(at: level)?.double, sent > 0.02,
      let stored = (entry.value(level) ?? entry.value("battery"))?.double, abs(stored - 100 * sent) < 1
    {
      let reason =
        "the store shows the battery in percent: \(converted(level, " / 100", entry)), or let its query or command divide it"
      if entry.value(level) == nil { note(hidden: level, reason) } else { note(strange: level, reason) }
    }
    if let time = entry.value("timestamp"), time.isTimeWithoutZone {
      note(strange: "timestamp", RunFacts.withoutZone(time))
    }
    guard let time = entry.value("timestamp"), let instant = time.instant, time.epochUnit != nil || time.isZero,
      abs(instant.milliseconds(since: record.timestamp)) > RunFacts.tenYears
    else { return }
    note(
      strange: "timestamp",
      "the store shows the time \(record.timestamp.iso8601Text) as \(time.shown), which counts in no unit since 1970: let its query or command convert it, or the store has lost it"
    )
  }

  fileprivate static func withoutZone(_ time: StoredValue) -> String {
    "the store's time has no zone: \(time.shown.shortened(60)); if it is in UTC, write verify.fields: { timestamp: \"$.… in UTC\" }, or let the list, its query or its command add a zone"
  }

  /// Returns the entry of verify.fields that converts a field.
  private func converted(_ field: String, _ conversion: String, _ entry: StoredRecord) -> String {
    "write verify.fields: { \"\(field)\": \"\(entry.namedPlace(of: field) ?? "$.…")\(conversion)\" }"
  }

  private static let tenYears: Int64 = 10 * 366 * 86_400_000
}
