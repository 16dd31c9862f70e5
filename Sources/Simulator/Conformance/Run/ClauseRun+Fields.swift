import BackendStore
import Base

/// Whether fields are stored as they were sent.
extension ClauseRun {
  /// A field of a record is stored as it was sent. Nothing is said of fields that the store does not show, or shows where
  /// nothing tells that it is this field.
  func expectSame(_ fields: [String], of record: SentRecord, in look: FoundRecords) throws {
    guard let entry = look.entry(of: record) else { return }
    var unseen: ClauseStop?
    for field in fields {
      guard let sent = record.value.value(at: field) else { continue }
      if facts.listsIdentitiesAlone {
        throw ClauseStop.notJudged("the store shows the uuids of records, and nothing else")
      }
      guard facts.shows(field) else { throw ClauseStop.notApplicable("the store shows no '\(field)'") }
      guard let stored = entry.value(field) else {
        if let reason = facts.hidden(field) {
          unseen = unseen ?? ClauseStop.notJudged(reason)
          continue
        }
        showRequest(of: record)
        throw fail(
          "'\(field)' is not stored", harm: .wrong, stored: entry.entry.shown.shortened(300), sign: .field(field))
      }
      if field == "timestamp", stored.isTimeWithoutZone {
        throw ClauseStop.notJudged(
          "the store's time has no zone: \(stored.shown.shortened(60)); let its query or command add one")
      }
      // What a store shows of one time so that it can be read, and of another one not, it does not keep.
      if StoredField.isUnreadableTime(stored, field), !facts.readsTimes {
        throw ClauseStop.notJudged("the store's time cannot be read: \(stored.shown.shortened(60)); see verify.fields")
      }
      try expectSame(field, sent, as: stored, of: record, entry)
    }
    if let unseen { throw unseen }
  }

  /// A field that the store shows of this record, whether or not it was seen before.
  func expectSame(_ field: String, of record: SentRecord, in look: FoundRecords) throws {
    guard let entry = look.entry(of: record), let stored = entry.value(field), let sent = record.value.value(at: field)
    else { return }
    try expectSame(field, sent, as: stored, of: record, entry)
  }

  private func expectSame(
    _ field: String, _ sent: StoredValue, as stored: StoredValue, of record: SentRecord, _ entry: StoredRecord
  ) throws {
    let difference = StoredField.difference(stored, sent, field)
    guard let difference = difference ?? facts.otherUnit(stored, sent, field) else { return }
    showRequest(of: record)
    throw fail(difference, harm: .wrong, stored: entry.entry.shown.shortened(300), sign: .field(field))
  }
}

extension RunFacts {
  /// The fields that are looked for in the first record.
  static let fields = [
    "is_moving", "odometer", "activity", "battery", "extras", "coords.speed", "coords.heading", "coords.altitude",
    "coords.accuracy", "activity.type", "battery.level", "coords.latitude", "coords.longitude",
  ]

  /// What a first, complete record tells of the store.
  func noteFirst(_ entry: StoredRecord, of record: SentRecord) {
    if let time = entry.value("timestamp"), time.instant != nil { noteReadableTimes(time.epochUnit) }
    noteHidden(RunFacts.fields, in: entry, of: record)
    if entry.value("timestamp") == nil,
      entry.entry.shown.contains(String(record.timestamp.iso8601Text.dropFirst(11).prefix(8)))
    {
      note(
        hidden: "timestamp",
        "the store shows no 'timestamp' under a usual name, and a time of day by itself: let its query or command put date and time together"
      )
    }
    let places = ["coords.latitude", "coords.longitude"]
    let others = ["coords.accuracy", "coords.speed", "coords.heading", "coords.altitude"]
    // Whole records without a place have lost it; where little is shown, it may be shown in a form that is not known.
    guard places.allSatisfy({ entry.value($0) == nil }), others.contains(where: { entry.value($0) == nil }) else {
      return
    }
    for place in places where hidden(place) == nil {
      note(hidden: place, "the store shows no '\(place)' under a usual name: name it in verify.fields")
    }
  }

  /// Fields whose values stand in an entry, and under no name that says so.
  func noteHidden(_ fields: [String], in entry: StoredRecord, of record: SentRecord) {
    for field in fields where entry.value(field) == nil {
      guard let sent = record.value.value(at: field), let place = entry.entry.place(of: sent) else { continue }
      note(
        hidden: field,
        "the store shows no '\(field)' under a usual name, and its value at \(place): name it in verify.fields, or let a query or command show it by itself"
      )
    }
  }
}
