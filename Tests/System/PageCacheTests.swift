import CSQLite
import Support
import Testing

/// The page cache that SQLite is given, by its documented calls (https://sqlite.org/c3ref/pcache_methods2.html).
@Suite struct PageCacheTests {
  typealias Page = UnsafeMutablePointer<sqlite3_pcache_page>

  /// The number of the page in which the pending byte lies, with pages of 8,192 bytes.
  private let pending: UInt32 = 0x4000_0000 / 8_192 + 1

  init() {
    rr_sqlite3_configure()
    #expect(sqlite3_initialize() == SQLITE_OK)
  }

  private func withCache(_ body: (sqlite3_pcache_methods2, OpaquePointer) throws -> Void) throws {
    let methods = try unsafe #require(rr_sqlite3_page_cache()).pointee
    let cache = try unsafe #require(methods.xCreate(8_192, 64, 1))
    defer { unsafe methods.xDestroy(cache) }
    try unsafe body(methods, cache)
  }

  @Test func aPageUnderThePendingNumberLiesBesideTheOthers() throws {
    try unsafe withCache { methods, cache in
      let pages = try unsafe (1...10 as ClosedRange<UInt32>).map { try unsafe #require(methods.xFetch(cache, $0, 2)) }
      unsafe methods.xRekey(cache, pages[2], 3, pending)
      #expect(unsafe methods.xFetch(cache, pending, 0) == pages[2])
      #expect(unsafe methods.xFetch(cache, 3, 0) == nil)
      // The number that it has inside: the next free one.
      #expect(unsafe methods.xFetch(cache, 11, 0) == pages[2])
      unsafe methods.xRekey(cache, pages[6], 7, 3)
      unsafe methods.xRekey(cache, pages[2], pending, 7)
      #expect(unsafe methods.xFetch(cache, 3, 0) == pages[6])
      #expect(unsafe methods.xFetch(cache, 7, 0) == pages[2])
      #expect(unsafe methods.xFetch(cache, 11, 0) == nil)
      #expect(unsafe methods.xFetch(cache, pending, 0) == nil)
      #expect(unsafe methods.xPagecount(cache) == 10)
    }
  }

  /// Pages that are fetched, exchanged as a balanced tree does it, given up and cut off, beside a dictionary.
  @Test(arguments: 1...20) func pagesAreThoseOfAModel(seed: UInt64) throws {
    try unsafe withCache { methods, cache in
      var random = SeededGenerator(seed: seed)
      var model = unsafe [UInt32: Page]()
      for _ in 0..<2_000 {
        let number = UInt32.random(in: 1...60, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
          let page = try unsafe #require(methods.xFetch(cache, number, 2))
          if let known = unsafe model[number] { #expect(unsafe page == known) }
          unsafe model[number] = page
        case 5..<8:
          let other = UInt32.random(in: 1...60, using: &random)
          guard number != other, let page = unsafe model[number], let second = unsafe model[other] else { continue }
          unsafe methods.xRekey(cache, page, number, pending)
          unsafe methods.xRekey(cache, second, other, number)
          unsafe methods.xRekey(cache, page, pending, other)
          unsafe (model[number], model[other]) = (second, page)
        case 8:
          if let page = unsafe model.removeValue(forKey: number) { unsafe methods.xUnpin(cache, page, 1) }
        default:
          unsafe methods.xTruncate(cache, number)
          unsafe model = model.filter { unsafe $0.key < number }
        }
        #expect(unsafe methods.xPagecount(cache) == Int32(model.count), "seed \(seed)")
      }
      for number in 1...60 as ClosedRange<UInt32> {
        #expect(unsafe methods.xFetch(cache, number, 0) == model[number], "seed \(seed), page \(number)")
      }
    }
  }

  @Test(arguments: [512, 8_192, 65_536]) func aTreeOfKeysInRandomOrderIsWhole(pageSize: Int) throws {
    var database: OpaquePointer?
    #expect(unsafe sqlite3_open(":memory:", &database) == SQLITE_OK)
    defer { unsafe sqlite3_close(database) }
    let fill = """
      PRAGMA page_size = \(pageSize);
      CREATE TABLE keys(key BLOB PRIMARY KEY) WITHOUT ROWID;
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO keys SELECT randomblob(100) FROM numbers;
      DELETE FROM keys WHERE key < x'80';
      INSERT INTO keys SELECT randomblob(100) FROM keys;
      """
    #expect(unsafe sqlite3_exec(database, fill, nil, nil, nil) == SQLITE_OK)
    var statement: OpaquePointer?
    #expect(unsafe sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK)
    defer { unsafe sqlite3_finalize(statement) }
    #expect(unsafe sqlite3_step(statement) == SQLITE_ROW)
    #expect(unsafe String(cString: sqlite3_column_text(statement, 0)) == "ok")
  }
}
