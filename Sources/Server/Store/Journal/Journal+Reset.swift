import Database

extension Journal {
  /// Forgets the entries of one run, or all.
  package func reset(run: String?) throws(StoreError) {
    var damage: JournalDamage?
    do {
      totals = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
        if let run { damage = try forget(run) } else { try connection.run("DELETE FROM blocks") }
        return try Journal.count(connection)
      }
    } catch {
      throw StoreError(error, opening: "the journal")
    }
    if let damage { throw StoreError(damage) }
  }

  /// Writes the blocks that held entries of the run again, without them. Passes over what it cannot read.
  private func forget(_ run: String) throws(DatabaseError) -> JournalDamage? {
    var damage: JournalDamage?
    var next: Int64? = 0
    while let start = next {
      next = nil
      var changed: (first: Int64, left: JournalBlock)?
      try connection.with(
        "SELECT first, count, entries FROM blocks WHERE first >= ?1 AND runs & ?2 <> 0 ORDER BY first LIMIT 1"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, start)
        row.bind(2, Int64(bitPattern: JournalBlock.bit(ofRun: run)))
        guard try row.step() else { return }
        let first = row.integer(at: 0)
        next = first + 1
        do throws(JournalDamage) {
          let left = try JournalBlock(row.bytes(at: 2), without: JournalFilter(run: run))
          if left.count < row.integer(at: 1) { changed = (first, left) }
        } catch {
          damage = error
        }
      }
      if let changed { try put(changed.left, first: changed.first) }
    }
    return damage
  }

  private func put(_ block: JournalBlock, first: Int64) throws(DatabaseError) {
    if block.count == 0 {
      try connection.run("DELETE FROM blocks WHERE first = ?1", first)
    } else {
      try insert(block, first: first)
    }
  }
}

extension JournalBlock {
  /// The entries that do not match, each with the number it had.
  fileprivate init(_ bytes: Span<UInt8>, without filter: JournalFilter) throws(JournalDamage) {
    self.init()
    var reader = JournalBlockReader(bytes)
    while let place = try reader.next() {
      if reader.matches(place, filter) { continue }
      append(reader.entry(at: place), number: place.number)
    }
  }
}
