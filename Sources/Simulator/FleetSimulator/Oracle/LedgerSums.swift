/// How many records are where. `created` is the sum of all others but `duplicateRows`.
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
  /// Acknowledged and not in the store.
  package var lost = 0
  /// Rows of the store that repeat another.
  package var duplicateRows = 0

  package init() {}

  package var isBalanced: Bool {
    created == stored + unverified + pending + expired + evicted + destroyed + quarantined + lost
  }
}
