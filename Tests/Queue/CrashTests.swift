import Glibc
import Queue
import Support
import Testing

/// A child works on a queue and notes in a file what it was told to be durable, until a clock kills it somewhere. SIGALRM
/// ends it as SIGKILL would: nothing of the child runs any more.
@Suite struct CrashTests {
  @Test(arguments: QueueForm.files, 0..<12)
  func whatWasAcknowledgedSurvivesAKill(form: QueueForm, round: Int) async throws {
    let folder = try TemporaryFolder()
    let (path, notes) = (folder.file("queue.db"), folder.path + "/notes")
    let isApp = form == .app
    let seed = UInt64.random(in: .min ... .max)
    var survivors: Set<Int> = []
    // The second life begins with what the first one left behind.
    for first in [0, 100_000] {
      await #expect(processExitsWith: .signal(SIGALRM), "seed \(seed)") {
        [
          path = path as String, notes = notes as String, isApp = isApp as Bool, seed = seed as UInt64,
          first = first as Int
        ] in
        var random = SeededGenerator(seed: seed &+ UInt64(first))
        var clock = itimerval()
        clock.it_value.tv_usec = suseconds_t(2_000 + random.index(below: 40_000))
        let notebook = try Notebook(creating: notes)
        #expect(unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &clock, nil) == 0)
        let database = try QueueDatabase(path: path, commits: isApp ? .everyCall : .grouped)
        try CrashTests.work(database, isApp ? 1 : 10, notebook, first, &random)
      }
      let notebook = try Notebook(reading: notes)
      let database = try QueueDatabase(path: path, commits: .everyCall)
      var found: Set<Int> = []
      for device in 0..<3 {
        // Nothing is locked any more: so all can be.
        let records = try database.queue(of: device).lock(.max)
        let numbers = records.map(Sample.number)
        #expect(records.allSatisfy(Sample.isWhole) && numbers.allSatisfy { $0 % 3 == device }, "seed \(seed)")
        #expect(numbers == numbers.sorted(), "seed \(seed)")
        found.formUnion(numbers)
      }
      let known = survivors.union(notebook.inserted)
      #expect(known.subtracting(notebook.deleting).subtracting(found) == [], "seed \(seed): lost")
      #expect(found.intersection(notebook.deleted) == [], "seed \(seed): back from the dead")
      // The last group was perhaps committed, and then as a whole.
      let next = (notebook.inserted.max() ?? first - 1) + 1
      let group = Set(next..<next + (isApp ? 1 : 10))
      let unannounced = found.subtracting(known)
      #expect(unannounced == [] || unannounced == group.subtracting(notebook.deleting), "seed \(seed): a torn group")
      survivors = found
    }
  }

  /// Inserts, locks, unlocks and deletes for ever, in groups of so many inserts.
  private static func work(
    _ database: QueueDatabase, _ groupSize: Int, _ notebook: Notebook, _ first: Int, _ random: inout SeededGenerator
  ) throws {
    for start in stride(from: first, to: .max, by: groupSize) {
      var deleted: [Int] = []
      for number in start..<start + groupSize {
        let queue = database.queue(of: number % 3)
        _ = try queue.insert(number)
        if groupSize == 1 { try notebook.note(.inserted, [number]) }
        guard random.chance(0.4) else { continue }
        let locked = try queue.lock(1 + random.index(below: 5), newestFirst: random.chance(0.5))
        let numbers = locked.map(Sample.number)
        if random.chance(0.3) { queue.unlock(locked.map(\.id)) }
        guard random.chance(0.6) else { continue }
        try notebook.note(.deleting, numbers)
        #expect(try queue.delete(locked.map(\.id)) == locked.count)
        deleted += numbers
      }
      try database.commit()
      if groupSize > 1 { try notebook.note(.inserted, Array(start..<start + groupSize)) }
      try notebook.note(.deleted, deleted)
    }
  }
}
