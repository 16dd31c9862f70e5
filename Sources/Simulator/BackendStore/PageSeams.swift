/// Where the pages of a list meet. With a cursor that includes the entry which it names, each page begins with the last entries
/// of the one before: they are stored once.
package struct PageSeams {
  /// The last entries of the page before.
  private var before: [StoredRecord] = []
  /// The first entries of this page, until it is known whether they are the same.
  private var first: [StoredRecord] = []
  private var last: [StoredRecord] = []
  private var isInside = false
  /// Whether the page before had nothing else: such a page is the last one.
  private var isOver = false
  /// The entries at the beginning of a page that have ended the one before.
  private var repeated: [StoredRecord] = []
  private var repeatedHere = 0
  /// Whether each page has begun so.
  private var isAtEach = true

  private static let entriesMax = 100

  package init() {}

  /// Passes an entry on, unless it may be that of the page before.
  mutating func pass(_ record: StoredRecord, _ take: (StoredRecord) -> Void) {
    last.append(record)
    if last.count == 2 * PageSeams.entriesMax { last.removeFirst(PageSeams.entriesMax) }
    guard !before.isEmpty, !isInside else { return take(record) }
    first.append(record)
    if first.count == PageSeams.entriesMax { enter(take) }
  }

  mutating func endPage(_ take: (StoredRecord) -> Void) {
    guard !last.isEmpty else { return }
    if !first.isEmpty { enter(take) }
    isOver = repeatedHere > 0 && repeatedHere == last.count
    repeatedHere = 0
    (before, last, isInside) = (last.suffix(PageSeams.entriesMax), [], false)
  }

  /// Called after the last page. If not every page has begun so, the equal entries are of different rows, and are passed on.
  package func close(_ take: (StoredRecord) -> Void) {
    if !isAtEach { repeated.forEach(take) }
  }

  private mutating func enter(_ take: (StoredRecord) -> Void) {
    let common = (1...min(first.count, before.count)).last { count in
      zip(before.suffix(count), first).allSatisfy { $0.isSameEntry(as: $1) }
    }
    if common == nil || isOver { isAtEach = false }
    repeated += first.prefix(common ?? 0)
    repeatedHere = common ?? 0
    first.dropFirst(common ?? 0).forEach(take)
    (first, isInside) = ([], true)
  }
}

extension StoredRecord {
  fileprivate func isSameEntry(as other: StoredRecord) -> Bool {
    uuid != nil && uuid == other.uuid && entry.shown == other.entry.shown
  }
}
