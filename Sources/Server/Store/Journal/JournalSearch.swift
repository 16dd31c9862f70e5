import Database

/// Selects journal entries. A nil property matches everything.
package struct JournalFilter: Sendable {
  package var run: String?
  package var device: String?
  package var status: Int?
  /// The required beginning of the path.
  package var pathPrefix: String?
  /// Whether the search goes backwards in time.
  package var isNewestFirst = false
  /// A condition that the columns cannot express.
  package var condition: (@Sendable (JournalEntry) -> Bool)?

  package init(run: String? = nil, device: String? = nil, status: Int? = nil, pathPrefix: String? = nil) {
    self.run = run
    self.device = device
    self.status = status
    self.pathPrefix = pathPrefix
  }
}

/// An entry with its sequence number.
package struct JournaledRequest: Equatable, Sendable {
  /// Increases with each entry, has gaps where a reset deleted entries, and is never reused.
  package var sequence: Int64
  package var entry: JournalEntry
}

extension Journal {
  /// The entries examined for one page, whether or not they match.
  private static let entriesPerPage = 10_000

  /// Returns matching entries after `sequence`, in order, at most `limit`; with the newest first, those before it. The page
  /// says where to continue, even if nothing in the examined range matched.
  package func requests(
    matching filter: JournalFilter = JournalFilter(), after sequence: Int64 = 0, limit: Int
  ) throws(StoreError) -> Page<JournaledRequest, Int64> {
    var search = JournalSearch(filter, after: sequence, limit: limit, entriesMax: Journal.entriesPerPage)
    do {
      try look(&search)
    } catch {
      throw StoreError(error, opening: "the journal")
    }
    if let damage = search.damage { throw StoreError(damage) }
    return Page(elements: search.found, next: search.isCutShort ? search.last : nil)
  }

  private func look(_ search: inout JournalSearch) throws(DatabaseError) {
    // A closure cannot borrow parts of what it captures.
    var copy = search
    let blocks =
      copy.filter.isNewestFirst
      ? "first < ?1 AND runs & ?2 <> 0 ORDER BY first DESC"
      : "first >= coalesce((SELECT max(first) FROM blocks WHERE first <= ?1), 0) AND runs & ?2 <> 0 ORDER BY first"
    try connection.with(
      "SELECT first, entries FROM blocks WHERE \(blocks)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, copy.last)
      row.bind(2, copy.filter.run.map { Int64(bitPattern: JournalBlock.bit(ofRun: $0)) } ?? -1)
      while !copy.isCutShort, copy.damage == nil, try row.step() {
        copy.look(at: row.bytes(at: 1), first: row.integer(at: 0))
      }
    }
    search = copy
  }
}

/// The state of a search through the blocks.
private struct JournalSearch {
  let filter: JournalFilter
  private let limit: Int
  private var entriesLeft: Int
  /// The last examined entry; the search skips everything up to it.
  private(set) var last: Int64
  private(set) var found: [JournaledRequest] = []
  private(set) var damage: JournalError?

  init(_ filter: JournalFilter, after sequence: Int64, limit: Int, entriesMax: Int) {
    self.filter = filter
    self.limit = limit
    last = sequence
    entriesLeft = entriesMax
  }

  /// Whether the page is full or the examined range has ended; there may be more.
  var isCutShort: Bool { found.count == limit || entriesLeft == 0 }

  mutating func look(at block: Span<UInt8>, first: Int64) {
    if filter.isNewestFirst { return lookBack(at: block, first: first) }
    var reader = JournalBlockReader(block)
    do throws(JournalError) {
      while !isCutShort, let place = try reader.next() {
        let sequence = first + Int64(place.number)
        if sequence <= last { continue }
        last = sequence
        entriesLeft -= 1
        guard reader.matches(place, filter) else { continue }
        let entry = reader.entry(at: place)
        guard filter.condition?(entry) ?? true else { continue }
        found.append(JournaledRequest(sequence: sequence, entry: entry))
      }
    } catch {
      damage = error
    }
  }

  /// A block can only be read forwards, so the positions of its entries are collected first.
  private mutating func lookBack(at block: Span<UInt8>, first: Int64) {
    var reader = JournalBlockReader(block)
    do throws(JournalError) {
      var places: [JournalBlockReader.Place] = []
      while let place = try reader.next() { places.append(place) }
      for place in places.reversed() where first + Int64(place.number) < last && !isCutShort {
        last = first + Int64(place.number)
        entriesLeft -= 1
        guard reader.matches(place, filter) else { continue }
        let entry = reader.entry(at: place)
        if filter.condition?(entry) ?? true { found.append(JournaledRequest(sequence: last, entry: entry)) }
      }
    } catch {
      damage = error
    }
  }
}
