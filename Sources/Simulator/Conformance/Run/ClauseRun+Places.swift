import BackendStore
import Scenario

/// Places of fields that the dialect names.
extension ClauseRun {
  /// In one of these entries at least, each field that was sent stands where verify.fields has it: one that stands nowhere there
  /// would be looked at in no clause.
  func expectNamedPlaces(_ seen: [(record: SentRecord, entry: StoredRecord)]) throws {
    for field in target.dialect.verification.fields {
      // A list may leave out what is 0, false or empty.
      let telling = seen.filter { pair in
        pair.record.value.value(at: field.name).map { !$0.isNull && !$0.isZero } ?? false
      }
      guard let (record, entry) = telling.first, telling.allSatisfy({ $0.entry.value(field.name) == nil }) else {
        continue
      }
      throw misplaced(field.name, field.value, entry, of: record)
    }
  }

  /// The dialect has a field at a place where no entry has anything.
  func misplaced(_ field: String, _ path: String, _ entry: StoredRecord, of record: SentRecord? = nil) -> ClauseStop {
    let sent = record?.value.value(at: field)
    let found =
      field == "timestamp"
      ? record.flatMap { entry.entry.place(of: $0.timestamp) } : sent.flatMap { entry.entry.place(of: $0) }
    let there = found.map { "its value stands at \($0)" } ?? "the entries have \(entry.pathsShown)"
    let problem =
      "verify.fields has '\(field)' at \(path), where no entry has anything: \(there); correct the place, or leave it out where the backend does not store the field"
    facts.note(misdescribed: problem)
    return .unread(problem)
  }
}
