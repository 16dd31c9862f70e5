import Queue
import Support
import Testing

/// The queue against the plainest one that could be: an array.
@Suite struct ModelTests {
  private struct Row: Equatable {
    let id: Int64
    let number: Int
    let second: Int
    var isLocked = false
  }

  private enum Call: CaseIterable {
    case insert, insertOld, lockOldest, lockNewest, unlockFirst, unlockAll, deleteLocked, deleteFirst, expire, evict
    case deleteAll, restart
  }

  /// All sequences of four calls, without a file.
  @Test func shortSequences() throws {
    let calls = Call.allCases.filter { $0 != .restart }
    let database = try QueueDatabase(path: ":memory:", commits: .grouped)
    var device = 0
    func extend(_ sequence: [Call]) throws {
      guard sequence.count == 4 else {
        for call in calls { try extend(sequence + [call]) }
        return
      }
      // Rows that no call has made are the same for all: two, of which the older insertion is the younger record.
      let queue = database.queue(of: device)
      var rows: [Row] = []
      for (number, second) in [(0, 3), (1, 1)] {
        rows.append(Row(id: try queue.insert(number, second: second), number: number, second: second))
      }
      for (step, call) in sequence.enumerated() {
        let isEqual = try perform(call, step + 2, queue, &rows)
        if !isEqual { Issue.record("differs after \(sequence.prefix(step + 1))") }
      }
      device += 1
      if device == 4_096 {
        for device in 0..<device { _ = try database.queue(of: device).deleteAll() }
        device = 0
      }
    }
    try extend([])
  }

  @Test(arguments: QueueForm.allCases) func longSequences(form: QueueForm) throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: .min ... .max)
      var random = SeededGenerator(seed: seed)
      let bench = try Bench(form)
      var rows: [Row] = []
      for number in 0..<(form == .app ? 150 : 1_000) {
        var call = Call.allCases[random.index(below: Call.allCases.count)]
        // Else it would hardly ever grow.
        if call == .deleteAll && random.chance(0.9) || random.chance(0.3) { call = .insert }
        if call == .restart {
          // Without a file it is a commit, which locks outlive.
          if !form.isKept { try bench.database.commit() }
          guard form.isKept && random.chance(0.2) else { continue }
          try bench.reopen()
          for index in rows.indices { rows[index].isLocked = false }
        }
        let isEqual = try perform(call, number, bench.queue(), &rows)
        if !isEqual {
          Issue.record("seed \(seed) differs after call \(number), \(call)")
          return
        }
      }
      #expect(try bench.neighboursAreUntouched())
    }
  }

  /// Makes a call on both sides; whether answers and rows are the same.
  private func perform(_ call: Call, _ number: Int, _ queue: DeviceQueue, _ rows: inout [Row]) throws -> Bool {
    var isEqual = true
    switch call {
    case .insert, .insertOld:
      let second = call == .insert ? number : -number
      let id = try queue.insert(number, second: second)
      isEqual = rows.allSatisfy { $0.id < id }
      rows.append(Row(id: id, number: number, second: second))
    case .lockOldest, .lockNewest:
      let free = rows.indices.filter { !rows[$0].isLocked }
      let taken = Array(call == .lockOldest ? free.prefix(2) : free.suffix(2).reversed()[...])
      let locked = try queue.lock(2, newestFirst: call == .lockNewest)
      isEqual = locked.map(\.id) == taken.map { rows[$0].id } && locked.allSatisfy(Sample.isWhole)
      for index in taken { rows[index].isLocked = true }
    case .unlockFirst:
      if let index = rows.firstIndex(where: \.isLocked) {
        queue.unlock([rows[index].id])
        rows[index].isLocked = false
      }
    case .unlockAll:
      queue.unlockAll()
      for index in rows.indices { rows[index].isLocked = false }
    case .deleteLocked:
      let locked = rows.filter(\.isLocked)
      isEqual = try queue.delete(locked.map(\.id)) == locked.count
      rows.removeAll(where: \.isLocked)
    case .deleteFirst:
      isEqual = try queue.delete(uuid: rows.first.map { Sample.uuid($0.number) } ?? Sample.uuid(1)) != rows.isEmpty
      rows.removeFirst(min(1, rows.count))
    case .expire:
      let old = rows.filter { !$0.isLocked && $0.second < 2 }
      isEqual = try queue.expire(before: Sample.time(2)) == old.map { Sample.uuid($0.number) }
      rows.removeAll(where: old.contains)
    case .evict:
      let surplus = rows.filter { !$0.isLocked }.prefix(max(0, rows.count - 3)).filter { $0 != rows.last }
      isEqual = try queue.evict(keeping: 3) == surplus.map { Sample.uuid($0.number) }
      rows.removeAll(where: surplus.contains)
    case .deleteAll:
      isEqual = try queue.deleteAll() == rows.map { Sample.uuid($0.number) }
      rows = []
    case .restart: break
    }
    return try isEqual && queue.count == rows.count && queue.numbers() == rows.map(\.number)
  }
}
