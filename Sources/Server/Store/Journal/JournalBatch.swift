/// Entries that wait to be written together, already as blocks: the one copy that is made of an exchange.
package struct JournalBatch: Sendable {
  package private(set) var blocks: [JournalBlock] = []
  package private(set) var count = 0
  package private(set) var byteCount = 0
  private let limits: JournalLimits

  package init(limits: JournalLimits) { self.limits = limits }

  package var isEmpty: Bool { count == 0 }

  /// Waiting for more would not make it cheaper to write.
  var isWorthWriting: Bool { byteCount >= limits.gatherBytes || count >= limits.gatherEntries }

  /// False when there is no room.
  package mutating func append(_ entry: JournalEntry) -> Bool {
    let bytes = JournalBlock.byteCount(entry)
    guard count < limits.mailboxEntries, byteCount + bytes <= limits.mailboxBytes else { return false }
    let last = blocks.count - 1
    if last >= 0, blocks[last].count < limits.blockEntries, blocks[last].bytes.count + bytes <= limits.blockBytes {
      blocks[last].append(entry, number: blocks[last].count)
    } else {
      var block = JournalBlock()
      // A lone entry gets a small block; who follows so soon is one of many.
      block.reserveCapacity(last >= 0 ? max(limits.blockBytes, bytes) : bytes)
      block.append(entry, number: 0)
      blocks.append(block)
    }
    count += 1
    byteCount += bytes
    return true
  }
}
