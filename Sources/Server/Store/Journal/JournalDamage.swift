/// The bytes of a block are no entries, which only a damaged file makes them.
struct JournalDamage: Error {}

extension StoreError {
  init(_ damage: JournalDamage) {
    self.init(
      code: .damaged, message: "the journal holds a block that cannot be read; delete journal.db to begin a new one")
  }
}
