/// How many records are where. `created` is the sum of those that come next.
package struct LedgerSums: Equatable, Sendable {
  package var created = 0
  /// Deleted by their devices after an acknowledgement, and found in the store.
  package var stored = 0
  /// Deleted by their devices after an acknowledgement, and nobody could say whether they are in the store.
  package var unverified = 0
  package var pending = 0
  package var expired = 0
  package var evicted = 0
  package var destroyed = 0
  /// Put aside by the server instead of stored.
  package var quarantined = 0
  /// Deleted by their devices because somebody on the way said "success" in the server's place.
  package var misled = 0
  /// Acknowledged by the server and not in its store.
  package var lost = 0

  /// Records that came to the server once more, for a reason.
  package var duplicatesExplained = 0
  package var duplicatesUnexplained = 0
  /// Of the stored, those that are not as they were sent.
  package var changed = 0
  /// Rows of the store that repeat another.
  package var duplicateRows = 0

  package init() {}

  package var isBalanced: Bool {
    created
      == stored + unverified + pending + expired + evicted + destroyed + quarantined + misled + lost
  }
}
