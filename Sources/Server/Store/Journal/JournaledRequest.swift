/// An entry with its place in the journal.
package struct JournaledRequest: Equatable, Sendable {
  /// Grows with each entry, has gaps where a reset deleted some, and is never used twice.
  package var sequence: Int64
  package var entry: JournalEntry
}
