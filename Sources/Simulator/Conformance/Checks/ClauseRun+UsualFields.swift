import BackendStore
import Base
import Contract
import Scenario

/// The content of usual records, in clauses about something else: a backend must keep the fields that it has kept of the first
/// record of the run, in whatever way a record arrives.
extension ClauseRun {
  /// The time last: one that cannot be read ends a comparison.
  static let usualFields = [
    "coords.latitude", "coords.longitude", "coords.speed", "odometer", "is_moving", "battery.level", "activity.type",
    "timestamp",
  ]
  /// A store may have a list for events with fewer columns.
  private static let fieldsOfEvents = ["coords.latitude", "coords.longitude", "timestamp"]

  /// Requires that usual records are stored as sent. `among` describes them.
  func expectAsSent(_ records: [SentRecord], in look: FoundRecords, among: String = "") throws {
    // Without a first record it is unknown how the store shows one.
    guard facts.hasSeenRecord else { return }
    // Where the store has the fields of another form of record is unknown.
    for (index, record) in records.enumerated() where record.isUsual && record.isTemplated != facts.takesDefaultSchema {
      guard var breach = alteration(of: record, in: look, { !facts.isAltered($0) }) else { continue }
      breach.cause =
        (records.count == 1 ? "the record" : "record \(index + 1) of \(records.count)") + "\(among): \(breach.cause)"
      throw ClauseStop.broken(breach)
    }
  }

  /// Notes the fields of the first record that are stored with other values. The clauses about content judge these.
  func noteAltered(_ entry: StoredRecord, of record: SentRecord) {
    let look = FoundRecords(entries: [record.uuid: [entry]], listed: 1)
    facts.note(
      altered: ClauseRun.usualFields.filter { field in alteration(of: record, in: look) { $0 == field } != nil })
  }

  /// Returns a difference in the usual fields, as far as the store shows them. What some stores write as nothing, such as 0 and
  /// false, is left to the clauses about content.
  private func alteration(
    of record: SentRecord, in look: FoundRecords, _ isAsked: (String) -> Bool
  ) -> Breach? {
    guard let entry = look.entry(of: record) else { return nil }
    let said = record.value
    let event = said.value(at: "event")?.string
    func isOwed(_ field: String) -> Bool {
      event == nil || ClauseRun.fieldsOfEvents.contains(field) || facts.isPromised(field)
    }
    let fields = ClauseRun.usualFields.filter { field in
      guard isAsked(field), facts.shows(field), facts.strange(field) == nil, let sent = said.value(at: field) else {
        return false
      }
      return !sent.isNull && !sent.isZero && sent.flag != false
        && (isOwed(field) || entry.value(field)?.isNull == false)
    }
    do {
      try expectSame(fields, of: record, as: said, in: look)
      if isAsked("event") { try expectEvent(event, of: record, in: look) }
    } catch ClauseStop.broken(let breach) {
      return breach
    } catch {
      // Fields that the store does not show, or not in a readable form, are not judged.
      return nil
    }
    return nil
  }

  /// A store may have its own words for events: one of the SDK's is the event that was sent.
  private func expectEvent(_ event: String?, of record: SentRecord, in look: FoundRecords) throws {
    guard record.sends("event"), facts.shows("event"), facts.strange("event") == nil, facts.hidden("event") == nil,
      let entry = look.entry(of: record), let stored = entry.value("event")?.string,
      StoredField.isOtherEvent(stored, than: event)
    else { return }
    showRequest(of: record)
    throw fail(
      "event: \(stored) instead of \(event ?? "none")", harm: .wrong, stored: entry.entry.shown.shortened(300),
      sign: .field("event"))
  }
}

extension ClauseRun.FoundRecords {
  /// The records of a device's whole list.
  init(listing all: [StoredRecord], _ end: ListEnd = ListEnd()) {
    let entries = all.reduce(into: [UUID128: [StoredRecord]]()) { entries, entry in
      if let uuid = entry.uuid { entries[uuid, default: []].append(entry) }
    }
    self.init(entries: entries, listed: all.count, end: end)
  }
}
