import BackendStore
import Scenario

/// The places of fields that the dialect names.
extension ClauseRun {
  /// Requires that each sent field is at its place in verify.fields in at least one of these entries; otherwise no
  /// clause would check it.
  func expectNamedPlaces(_ seen: [(record: SentRecord, entry: StoredRecord)]) throws {
    for field in target.dialect.verification.fields {
      // A list may omit 0, false or empty values.
      let telling = seen.filter { pair in
        pair.record.value.value(at: field.name).map { !$0.isNull && !$0.isZero } ?? false
      }
      guard let (record, entry) = telling.first, telling.allSatisfy({ $0.entry.value(field.name) == nil }) else {
        continue
      }
      throw misplaced(field.name, field.value, entry, of: record)
    }
  }

  /// Returns the stop for a place of the dialect at which no entry has a value.
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
