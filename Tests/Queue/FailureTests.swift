import Database
import Glibc
import Support
import Testing

@testable import Queue

@Suite struct FailureTests {
  @Test func aNewerFileIsRefusedAndNotTouched() throws {
    let folder = try TemporaryFolder()
    do {
      let database = try QueueDatabase(path: folder.file("queue.db"), commits: .everyCall)
      try database.connection.execute("PRAGMA user_version = 3")
    }
    let error = #expect(throws: DatabaseError.self) {
      try QueueDatabase(path: folder.file("queue.db"), commits: .everyCall)
    }
    #expect(error?.kind == .newerVersion(found: 3, known: 2))
    #expect(try Connection(path: folder.file("queue.db")).integer("PRAGMA user_version") == 3)
  }

  @Test func aFileOfSomebodyElseIsRefusedAndNotTouched() throws {
    let folder = try TemporaryFolder()
    do {
      let other = try Connection(path: folder.file("queue.db"))
      try other.execute("CREATE TABLE t(a); PRAGMA application_id = 7")
    }
    let error = #expect(throws: DatabaseError.self) {
      try QueueDatabase(path: folder.file("queue.db"), commits: .grouped)
    }
    #expect(error?.kind == .foreignFile(applicationID: 7))
    let connection = try Connection(path: folder.file("queue.db"))
    var query = try connection.prepare("PRAGMA journal_mode")
    var rows = query.start()
    #expect(try rows.step())
    #expect(rows.text(at: 0) == "delete", "still without a log")
  }

  @Test(arguments: [-1, Int64.max]) func aDamagedNumberOfADeviceIsTold(device: Int64) throws {
    let folder = try TemporaryFolder()
    do {
      let database = try QueueDatabase(path: folder.file("queue.db"), commits: .everyCall)
      _ = try database.queue(of: 0).insert(1)
      try database.connection.execute("UPDATE records SET device = \(device)")
    }
    let error = #expect(throws: DatabaseError.self) {
      try QueueDatabase(path: folder.file("queue.db"), commits: .everyCall)
    }
    #expect(error?.kind == .corrupt)
  }

  @Test(arguments: QueueForm.files) func aFileBelongsToOneProcess(form: QueueForm) throws {
    let bench = try Bench(form)
    let error = #expect(throws: DatabaseError.self) { try QueueDatabase(path: bench.path, commits: .everyCall) }
    #expect(error?.kind == .busy)
    _ = try bench.queue().insert(1)
  }

  @Test func aFullDiskUndoesTheCallOfAnAppAndNothingElse() throws {
    let bench = try Bench(.app)
    let queue = bench.queue()
    for number in 0..<10 { _ = try queue.insert(number) }
    let locked = try queue.lock(2)
    try limit(bench.database)
    let huge = [UInt8](repeating: 1, count: 1_000_000)
    for _ in 0..<3 {
      let error = #expect(throws: DatabaseError.self) {
        try queue.insert(uuid: Sample.uuid(99), timestamp: Sample.noon, bytes: huge.span)
      }
      #expect(error?.kind == .full)
      #expect(queue.count == 10)
      #expect(try queue.numbers() == Array(0..<10))
      #expect(try queue.lock(1).map(Sample.number) == [2], "what was locked stays locked")
      queue.unlock([locked[1].id + 1])
    }
    #expect(try queue.delete(locked.map(\.id)) == 2)
    let small = try queue.insert(7)
    #expect(small > locked[1].id)
    #expect(try queue.numbers() == Array(2..<10) + [7])
  }

  @Test func aFullDiskUndoesTheGroupOfAFleetAndItsCommitSaysSo() throws {
    let bench = try Bench(.shard)
    let queue = bench.queue()
    for number in 0..<10 { _ = try queue.insert(number) }
    try bench.database.commit()
    let neighbour = bench.database.queue(of: 4)
    let old = try queue.lock(2)
    let inGroup = try neighbour.insert(1)
    #expect(try neighbour.lock(9).count == 4)
    #expect(try queue.delete([old[0].id]) == 1)
    #expect(try queue.expire(before: Sample.time(4)).count == 2)
    try limit(bench.database)
    let huge = [UInt8](repeating: 1, count: 1_000_000)
    let first = try #require(
      #expect(throws: DatabaseError.self) {
        try queue.insert(uuid: Sample.uuid(99), timestamp: Sample.noon, bytes: huge.span)
      })
    #expect(first.kind == .full)
    #expect(queue.count == 10 && neighbour.count == 3)
    #expect(try queue.numbers() == Array(0..<10))
    #expect(throws: first) { try neighbour.insert(2) }
    #expect(throws: first) { try bench.database.commit() }
    #expect(try neighbour.insert(2) > inGroup)
    #expect(try neighbour.lock(9).map(Sample.number) == [2], "the three of before are locked still")
    #expect(try queue.expire(before: Sample.time(1)) == [Sample.uuid(0)], "the deleted row is back, and unlocked")
    try bench.database.commit()
    #expect(try queue.numbers() == Array(1..<10))
  }

  /// What a group has written in memory goes with it, and what it has deleted there never comes to SQLite.
  @Test func aFullDiskUndoesTheGroupOfARunInVirtualTime() throws {
    let bench = try Bench(.scratch)
    let queue = bench.queue()
    let state = bench.database.state(of: bench.device)
    for number in 0..<10 { _ = try queue.insert(number) }
    try state.set("engine", to: [1].span)
    try bench.database.commit()
    try limit(bench.database)
    let huge = [UInt8](repeating: 1, count: 1_000_000)
    func insertHuge() throws -> Int64 {
      try queue.insert(uuid: Sample.uuid(99), timestamp: Sample.noon, bytes: huge.span)
    }
    #expect(try queue.delete([insertHuge()]) == 1)
    try bench.database.commit()

    #expect(try queue.delete(uuid: Sample.uuid(0)))
    try state.set("engine", to: [2].span)
    _ = try insertHuge()
    #expect(queue.count == 10)
    #expect(throws: DatabaseError.self) { try bench.database.commit() }
    #expect(try queue.numbers() == Array(0..<10))
    #expect(try state.value("engine") == [1])
    #expect(try bench.neighboursAreUntouched())
  }

  @Test func aGroupIsLargeByItsBytesAndByWhatItDeletes() throws {
    let database = try QueueDatabase(path: "", commits: .grouped)
    let queue = database.queue(of: 0)
    let bytes = [UInt8](repeating: 1, count: 1_000)
    var count = 0
    while !database.isGroupLarge {
      _ = try queue.insert(uuid: Sample.uuid(count), timestamp: Sample.noon, bytes: bytes.span)
      count += 1
    }
    #expect((10_000..<20_000).contains(count))
    try database.commit()
    #expect(!database.isGroupLarge)
    #expect(try queue.deleteAll().count == count)
    #expect(database.isGroupLarge)
    try database.commit()
    #expect(!database.isGroupLarge)
  }

  /// The process may not write beyond 256 KiB of any file, so that commits fail in the middle of their writes.
  @Test(arguments: QueueForm.files) func aWriteThatTheSystemRefusesLeavesNothingHalfDone(form: QueueForm) async {
    let isApp = form == .app
    await #expect(processExitsWith: .success) { [isApp = isApp as Bool] in
      let bench = try Bench(isApp ? .app : .shard)
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1 << 18, rlim_max: rlim_t.max)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      var kept: [Int] = []
      var group: [Int] = []
      var failure: DatabaseError?
      for number in 0..<10_000 where failure == nil {
        do {
          _ = try bench.queue().insert(number)
          group.append(number)
          if isApp || number % 5 == 4 {
            try bench.database.commit()
            kept += group
            group = []
          }
        } catch let error as DatabaseError {
          failure = error
        }
      }
      #expect(failure?.kind == .inputOutput)
      #expect(kept.count > 10)
      #expect(try bench.queue().numbers() == kept)
      #expect(bench.queue().count == kept.count)
      limit.rlim_cur = rlim_t.max
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      do { try bench.database.commit() } catch let error as DatabaseError { #expect(error == failure) }
      _ = try bench.queue().insert(20_000)
      try bench.reopen()
      #expect(try bench.queue().numbers() == kept + [20_000])
      #expect(try bench.neighboursAreUntouched())
    }
  }

  /// No more pages than there are.
  private func limit(_ database: QueueDatabase) throws {
    let pages = Int(try database.connection.integer("PRAGMA page_count"))
    try database.connection.apply(.maximumPageCount(pages + 8))
  }
}
