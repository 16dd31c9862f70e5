/// Bounds of the journal.
package struct JournalLimits: Sendable {
  package var rows: Int64 = 100_000
  /// Bytes of all entries, about.
  package var bytes: Int64 = 256 << 20
  /// Entries waiting to be written, beyond which they are dropped and counted.
  package var mailboxEntries = 4_096
  package var mailboxBytes = 16 << 20

  package init() {}
}
