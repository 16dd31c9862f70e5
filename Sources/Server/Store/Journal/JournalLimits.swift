/// Bounds of the journal.
package struct JournalLimits: Sendable {
  package var rows: Int64 = 100_000
  /// Bytes of all entries.
  package var bytes: Int64 = 256 << 20
  /// Entries waiting to be written, beyond which they are dropped and counted.
  package var mailboxEntries = 16_384
  package var mailboxBytes = 16 << 20
  /// How long entries wait for others that are written together with them.
  package var gatherMilliseconds = 50

  package init() {}

  /// The oldest go block by block, so that a block holds a small part of the whole.
  var blockBytes: Int { Int(clamping: max(1, min(128 << 10, bytes / 64))) }
  var blockEntries: Int { Int(clamping: max(1, rows / 64)) }
  /// So much is written without waiting for more.
  var gatherBytes: Int { min(1 << 20, mailboxBytes / 4) }
  var gatherEntries: Int { mailboxEntries / 4 }
}
