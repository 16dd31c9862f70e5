import Base
import Database
import Queue
import Testing

@Suite struct QueueTests {
  @Test(arguments: QueueForm.allCases) func recordsComeBackAsTheyWentInAndInTheirOrder(form: QueueForm) throws {
    let bench = try Bench(form)
    #expect(bench.queue().count == 0)
    // Time goes backwards: the order is that of insertion (SDK §7.2).
    let ids = try (0..<20).map { try bench.queue().insert($0, second: -$0) }
    #expect(zip(ids, ids.dropFirst()).allSatisfy(<))
    for _ in 0..<2 {
      #expect(bench.queue().count == 20)
      let records = try bench.queue().read(limit: .max, offset: 0, newestFirst: false)
      #expect(records.map(\.id) == ids)
      #expect(records.map(\.timestamp) == (0..<20).map { Sample.time(-$0) })
      #expect(records.allSatisfy(Sample.isWhole))
      try bench.reopen()
    }
    #expect(try bench.neighboursAreUntouched())
  }

  @Test(arguments: QueueForm.allCases) func pagesAreReadFromBothEnds(form: QueueForm) throws {
    let queue = try Bench(form).queue()
    for number in 0..<10 { _ = try queue.insert(number) }
    _ = try queue.lock(2)
    #expect(try queue.read(limit: 3, offset: 0, newestFirst: false).map(Sample.number) == [0, 1, 2])
    #expect(try queue.read(limit: 3, offset: 8, newestFirst: false).map(Sample.number) == [8, 9])
    #expect(try queue.read(limit: 3, offset: 1, newestFirst: true).map(Sample.number) == [8, 7, 6])
    #expect(try queue.read(limit: 0, offset: 0, newestFirst: true) == [])
    #expect(try queue.read(limit: 3, offset: 10, newestFirst: true) == [])
  }

  @Test(arguments: QueueForm.allCases) func aLockedRowIsNotLockedAgain(form: QueueForm) throws {
    let queue = try Bench(form).queue()
    for number in 0..<6 { _ = try queue.insert(number) }
    let first = try queue.lock(2)
    #expect(first.map(Sample.number) == [0, 1])
    #expect(try queue.lock(2, newestFirst: true).map(Sample.number) == [5, 4])
    #expect(try queue.lock(10).map(Sample.number) == [2, 3])
    #expect(try queue.lock(10) == [])
    #expect(queue.count == 6, "locked rows count")
    queue.unlock([first[1].id, 99_999])
    #expect(try queue.lock(10).map(Sample.number) == [1])
    queue.unlockAll()
    #expect(try queue.lock(10, newestFirst: true).map(Sample.number) == [5, 4, 3, 2, 1, 0])
  }

  @Test(arguments: QueueForm.allCases) func lockingAppendsToWhatIsThere(form: QueueForm) throws {
    let queue = try Bench(form).queue()
    for number in 0..<3 { _ = try queue.insert(number) }
    var records: [QueuedRecord] = []
    try queue.lock(limit: 1, newestFirst: false, into: &records)
    try queue.lock(limit: 1, newestFirst: false, into: &records)
    #expect(records.map(Sample.number) == [0, 1])
  }

  @Test(arguments: QueueForm.allCases) func whatIsGoneIsPassedOver(form: QueueForm) throws {
    let bench = try Bench(form)
    let queue = bench.queue()
    let ids = try (0..<4).map { try queue.insert($0) }
    #expect(try queue.delete([ids[1], ids[2]]) == 2)
    #expect(try queue.delete([ids[1], ids[3], 77_777]) == 1)
    #expect(try queue.delete([]) == 0)
    #expect(try queue.numbers() == [0])
    #expect(try queue.delete(uuid: Sample.uuid(3)) == false)
    #expect(try queue.delete(uuid: Sample.uuid(0)))
    #expect(queue.count == 0)
    #expect(try bench.neighboursAreUntouched())
  }

  /// An upload that was in flight then ends without effect (SDK §7.4).
  @Test(arguments: QueueForm.allCases) func destroyingTakesLockedRowsToo(form: QueueForm) throws {
    let bench = try Bench(form)
    let queue = bench.queue()
    for number in 0..<5 { _ = try queue.insert(number) }
    let locked = try queue.lock(2)
    #expect(try queue.deleteAll() == (0..<5).map(Sample.uuid))
    #expect(queue.count == 0)
    #expect(try queue.delete(locked.map(\.id)) == 0)
    queue.unlock(locked.map(\.id))
    _ = try queue.insert(5)
    #expect(try queue.lock(10).map(Sample.number) == [5])
    #expect(try bench.neighboursAreUntouched())
  }

  /// SDK §7.4.
  @Test(arguments: QueueForm.allCases) func ageIsTheRecordsOwnAndLockedRowsStay(form: QueueForm) throws {
    let bench = try Bench(form)
    let queue = bench.queue()
    for (number, second) in [5, 1, 9, 3, 7].enumerated() { _ = try queue.insert(number, second: second) }
    #expect(try queue.expire(before: Sample.time(1)) == [], "exactly as old as the limit is not older")
    let locked = try queue.lock(2)
    #expect(try queue.expire(before: Sample.time(6)) == [Sample.uuid(3)])
    #expect(try queue.expire(before: Sample.time(6)) == [])
    queue.unlock(locked.map(\.id))
    #expect(try queue.expire(before: Sample.time(6)) == [Sample.uuid(0), Sample.uuid(1)])
    #expect(try queue.numbers() == [2, 4])
    #expect(queue.count == 2)
    #expect(try bench.neighboursAreUntouched())
  }

  @Test(arguments: QueueForm.files) func recordsGrowOldOverARestart(form: QueueForm) throws {
    let bench = try Bench(form)
    for number in 0..<3 { _ = try bench.queue().insert(number) }
    try bench.reopen()
    #expect(try bench.queue().expire(before: Sample.time(2)) == [Sample.uuid(0), Sample.uuid(1)])
    #expect(bench.queue().count == 1)
  }

  /// HttpConfig: a rolling queue. The rows of an upload that takes long leave no room, and the newest record has it all the same.
  @Test(arguments: QueueForm.allCases) func theNewestStaysBesideLockedRows(form: QueueForm) throws {
    let queue = try Bench(form).queue()
    for number in 0..<2 { _ = try queue.insert(number) }
    _ = try queue.lock(2)
    for number in 2..<4 { _ = try queue.insert(number) }
    #expect(try queue.evict(keeping: 2) == [Sample.uuid(2)])
    #expect(try queue.evict(keeping: 2) == [])
    #expect(try queue.numbers() == [0, 1, 3])
    queue.unlockAll()
    #expect(try queue.evict(keeping: 2) == [Sample.uuid(0)])
  }

  /// SDK §7.4.
  @Test(arguments: QueueForm.allCases) func theOldestAreEvictedAndLockedRowsStay(form: QueueForm) throws {
    let bench = try Bench(form)
    let queue = bench.queue()
    for number in 0..<6 { _ = try queue.insert(number, second: -number) }
    #expect(try queue.evict(keeping: 6) == [])
    _ = try queue.lock(1)
    #expect(try queue.evict(keeping: 4) == [Sample.uuid(1), Sample.uuid(2)])
    #expect(try queue.evict(keeping: 0) == [Sample.uuid(3), Sample.uuid(4), Sample.uuid(5)])
    #expect(try queue.evict(keeping: 0) == [])
    #expect(try queue.numbers() == [0])
    #expect(try bench.neighboursAreUntouched())
  }

  @Test(arguments: QueueForm.files) func nothingIsLockedAfterAStart(form: QueueForm) throws {
    let bench = try Bench(form)
    for number in 0..<4 { _ = try bench.queue().insert(number) }
    #expect(try bench.queue().lock(3).count == 3)
    try bench.reopen()
    #expect(try bench.queue().lock(10).map(Sample.number) == [0, 1, 2, 3])
  }

  @Test(arguments: QueueForm.files) func aRowIsNeverUsedTwice(form: QueueForm) throws {
    let bench = try Bench(form)
    var last: Int64 = 0
    for number in 0..<5 {
      let ids = try (0..<3).map { _ in try bench.queue().insert(number) }
      #expect(ids[0] > last)
      last = ids[2]
      #expect(try bench.queue().deleteAll().count == 3)
      try bench.reopen()
    }
  }

  @Test func devicesOfOneDatabaseDoNotSeeEachOther() throws {
    let database = try QueueDatabase(path: ":memory:", commits: .grouped)
    let devices = [0, 1, 2, 1_000, 5_000]
    for device in devices {
      for number in 0...device % 7 { _ = try database.queue(of: device).insert(number) }
    }
    for device in devices {
      let queue = database.queue(of: device)
      #expect(try queue.numbers() == Array(0...device % 7))
      #expect(try queue.delete(uuid: Sample.uuid(99)) == false)
      #expect(try queue.deleteAll().count == device % 7 + 1)
    }
  }
}
