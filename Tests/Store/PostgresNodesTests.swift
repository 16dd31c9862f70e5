import Base
import Database
import PostgresStore
import Store
import Support
import Synchronization
import Testing
import Threads

/// Several servers on one database at once.
@Suite(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct PostgresNodesTests {
  private let place: String

  init() throws { place = try PostgresCluster.shared.get().place() }

  private func store() throws -> PostgresStore { try PostgresStore(at: place, StoreConfiguration(folder: "")) }

  private func number(_ sql: String) throws -> Int64 {
    try PostgresConnection(to: place).perform("SELECT (\(sql))::int8").integer(0, 0)
  }

  /// Does the jobs of each node on a thread of its own, in groups of a few, all nodes at once; returns the answers by node.
  private func run(_ nodes: [[StoreJob]], perGroup: Int = 3) throws -> [[StoreResult]] {
    let answers = Mutex([[StoreResult]](repeating: [], count: nodes.count))
    let isReady = Semaphore()
    let begins = Semaphore()
    let place = place
    var threads: [NamedThread] = []
    for (node, jobs) in nodes.enumerated() {
      threads.append(
        try NamedThread.opening("node-\(node)") { () throws(StoreError) in
          try PostgresStore(at: place, StoreConfiguration(folder: ""))
        } run: { store in
          isReady.signal()
          begins.wait()
          var start = 0
          while start < jobs.count {
            let group = Array(jobs[start..<min(jobs.count, start + perGroup)])
            let results = store.apply(group, now: Sample.noon)
            answers.withLock { $0[node] += results }
            start += group.count
          }
          store.close()
        })
    }
    for _ in nodes { isReady.wait() }
    for _ in nodes { begins.signal() }
    for thread in threads { thread.join() }
    return answers.withLock { $0 }
  }

  @Test func aRecordThatComesToAllIsStoredOnce() throws {
    // New devices and days for each, so that the nodes also meet where these are made.
    let jobs = (0..<120).map { number in
      let time = Sample.noon.millisecondsSince1970 - Int64(number % 6) * Sample.day
      return StoreJob.ingest(
        Sample.batch(
          Sample.device(number / 3), [number * 2, number * 2 + 1], at: { time + Int64($0) },
          parameters: "{\"n\":\(number % 4)}"))
    }
    let answers = try run([jobs, jobs, jobs.reversed()])
    for number in jobs.indices {
      let receipts = [answers[0][number], answers[1][number], answers[2][jobs.count - 1 - number]].map { answer in
        if case .ingested(let receipt) = answer { [receipt.accepted, receipt.duplicate] } else { [-1, -1] }
      }
      #expect(receipts.allSatisfy { $0[0] + $0[1] == 2 }, "\(number): \(receipts)")
      #expect(receipts.map { $0[0] }.reduce(0, +) == 2, "\(number): \(receipts)")
    }
    #expect(try number("SELECT count(*) FROM points") == 240)
    #expect(try number("SELECT count(*) FROM devices") == 40)
    #expect(try number("SELECT sum(points) FROM devices") == 240)
    #expect(try number("SELECT sum(duplicates) FROM devices") == 480)
    #expect(try number("SELECT count(*) FROM points_odd") == 0)
    #expect(
      try number(
        "SELECT count(*) FROM points LEFT JOIN parameters ON day = recorded_at / 86400000 AND digest = points.parameters WHERE json IS NULL"
      ) == 0)
    // Each arrival has a place of its own.
    #expect(try number("SELECT count(DISTINCT (arrived_in, n)) FROM points") == 240)
  }

  @Test func eachCommandIsTakenOnce() throws {
    let store = try store()
    let expiry = Sample.noon.advanced(byMilliseconds: 40_000 * Sample.day)
    let devices = (0..<8).map { Sample.device($0) }
    var orders = devices.flatMap { device in
      (0..<4).map { StoreJob.queue(QueuedCommand(target: .device(device), command: [UInt8($0)], expiresAt: expiry)) }
    }
    orders += (0..<5).map { _ in .queue(QueuedCommand(target: .everyone(run: ""), command: [9], expiresAt: expiry)) }
    let ids = store.apply(orders, now: Sample.noon).compactMap {
      if case .queued(let id, true) = $0 { id } else { nil }
    }
    #expect(ids.count == 37)
    let takes = (0..<15).flatMap { _ in devices.map { StoreJob.takeCommands($0, limit: 1) } }
    let answers = try run([takes, takes])
    for (place, device) in devices.enumerated() {
      var taken: [Int64] = []
      for node in answers {
        for (index, answer) in node.enumerated() where index % devices.count == place {
          if case .commands(let commands) = answer { taken += commands.map(\.id) }
        }
      }
      #expect(taken.count == 9, "\(device)")
      #expect(Set(taken).count == 9, "\(device)")
    }
    #expect(try number("SELECT sum(attempts) FROM deliveries") == 72)
  }

  @Test func anOrderForEveryoneReachesDevicesOfAllNodes() throws {
    let expiry = Sample.noon.advanced(byMilliseconds: 40_000 * Sample.day)
    // Orders of several nodes at once, while devices upload: none is passed over because another one with a higher number was seen.
    let orders = (0..<80).map { _ in
      StoreJob.queue(QueuedCommand(target: .everyone(run: ""), command: [1], expiresAt: expiry))
    }
    let uploads = (0..<150).map { StoreJob.ingest(Sample.batch(Sample.device($0 % 5), [$0])) }
    let answers = try run([orders, orders, uploads], perGroup: 1)
    let ids = answers[..<2].joined().compactMap { if case .queued(let id, true) = $0 { id } else { nil } }
    #expect(Set(ids).count == 160)
    let store = try store()
    var taken = [Int](repeating: 0, count: 5)
    for node in answers[2...] {
      for (index, answer) in node.enumerated() {
        if case .ingested(let receipt) = answer { taken[index % 5] += receipt.commands.count }
      }
    }
    for device in 0..<5 {
      guard
        case .commands(let rest) = store.apply([.takeCommands(Sample.device(device), limit: 1_000)], now: Sample.noon)[
          0]
      else { continue }
      taken[device] += rest.count
    }
    #expect(taken == [160, 160, 160, 160, 160])
  }

  @Test func aKeyThatComesToAllNodesIsOpenOnce() throws {
    let expiry = Sample.noon.advanced(byMilliseconds: 40_000 * Sample.day)
    let jobs = (0..<100).map {
      StoreJob.queue(
        QueuedCommand(target: .everyone(run: ""), command: [1], expiresAt: expiry, deduplicationKey: "key\($0)"))
    }
    let answers = try run([jobs, jobs, jobs], perGroup: 1)
    for place in jobs.indices {
      let found = answers.compactMap { node in
        if case .queued(let id, let isNew) = node[place] { (id: id, isNew: isNew) } else { nil }
      }
      #expect(Set(found.map(\.id)).count == 1 && found.count { $0.isNew } == 1, "\(place): \(found)")
    }
  }

  @Test func aTokenThatIsPresentedToTwoNodesIsUsedOnce() throws {
    let store = try store()
    let expiry = WallInstant(millisecondsSince1970: 4_000_000_000_000)
    let families = (0..<30).map {
      StoreJob.beginFamily(TokenFamily(device: Sample.device($0), refresh: Sample.uuid($0), expiresAt: expiry))
    }
    _ = store.apply(families, now: Sample.noon)
    func rotations(_ node: Int) -> [StoreJob] {
      (0..<30).map {
        .rotate(
          TokenRotation(
            presented: Sample.uuid($0), successor: UUID128(high: UInt64(node), low: UInt64($0)), answer: [UInt8(node)],
            expiresAt: expiry))
      }
    }
    let answers = try run([rotations(1), rotations(2)])
    for (first, second) in zip(answers[0], answers[1]) {
      switch (first, second) {
      case (.rotated(let one), .rotatedBefore(let other, let answer)): #expect(one == other && answer == [1])
      case (.rotatedBefore(let one, let answer), .rotated(let other)): #expect(one == other && answer == [2])
      default: Issue.record("\(first) \(second)")
      }
    }
  }

  @Test func whatOneNodeRevokesAnotherRefuses() throws {
    let (one, other) = (try store(), try store())
    let family = TokenFamily(
      device: Sample.device(), refresh: Sample.uuid(1), expiresAt: Sample.noon.advanced(byMilliseconds: Sample.day))
    guard case .family(let id) = one.apply([.beginFamily(family)], now: Sample.noon)[0] else { return }
    var batch = Sample.batch([1])
    batch.credential = TokenCredential(family: id, issuedAt: Sample.noon)
    #expect(other.apply([.ingest(batch)], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
    #expect(one.apply([.revokeTokens(.family(id))], now: Sample.noon) == [.changed(1)])
    #expect(other.apply([.ingest(batch)], now: Sample.noon) == [.refused(.revoked)])
    #expect(one.apply([.delete(Sample.device())], now: Sample.noon) == [.changed(1)])
    #expect(other.apply([.ingest(batch)], now: Sample.noon) == [.refused(.deviceDeleted)])
    batch.credential = nil
    #expect(other.apply([.ingest(batch)], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))], "a new device")
  }

  @Test func aResetAmidUploadsOfOthersLeavesNothingOfBefore() throws {
    let uploads = (0..<300).map { StoreJob.ingest(Sample.batch(Sample.device($0 % 4), [$0])) }
    let resets = (0..<20).flatMap { _ in
      [StoreJob.reset(run: nil), .checkToken(Sample.device(), TokenCredential(family: 1, issuedAt: Sample.noon))]
    }
    let answers = try run([uploads, uploads, resets])
    #expect(answers.joined().allSatisfy { if case .unavailable = $0 { false } else { true } })
    #expect(try number("SELECT count(*) FROM points WHERE device NOT IN (SELECT id FROM devices)") == 0)
    #expect(try number("SELECT count(*) FROM points") == number("SELECT coalesce(sum(points), 0) FROM devices"))
    _ = try store().apply([.reset(run: nil)], now: Sample.noon)
    #expect(try number("SELECT count(*) FROM points") == 0)
  }

  /// Three nodes reset without a pause until the uploads of a fourth are through.
  @Test func uploadsComeThroughResetsWithoutEnd() throws {
    let isOver = AtomicFlag()
    let place = place
    let resets = try (0..<3).map { number in
      try NamedThread.opening("reset-\(number)") { () throws(StoreError) in
        try PostgresStore(at: place, StoreConfiguration(folder: ""))
      } run: { store in
        while !isOver.isRaised { _ = store.apply([.reset(run: nil)], now: Sample.noon) }
        store.close()
      }
    }
    let uploads = (0..<20).map { StoreJob.ingest(Sample.batch(Sample.device($0 % 4), [$0])) }
    let answers = try run([uploads], perGroup: 1)
    isOver.raise()
    for thread in resets { thread.join() }
    #expect(answers[0].allSatisfy { $0 == .ingested(IngestReceipt(accepted: 1)) }, "\(answers[0])")
  }

  @Test func retentionDropsWholeDaysOnAllNodes() throws {
    var configuration = StoreConfiguration(folder: "", retainDays: 2)
    let keeps = try PostgresStore(at: place, configuration)
    configuration.retainDays = nil
    let writes = try PostgresStore(at: place, configuration)
    func batch(_ day: Int) -> StoreJob {
      .ingest(
        Sample.batch([day], at: { _ in Sample.noon.millisecondsSince1970 - Int64(day) * Sample.day }, parameters: "{}"))
    }
    #expect(
      writes.apply((0..<5).map(batch), now: Sample.noon).allSatisfy { $0 == .ingested(IngestReceipt(accepted: 1)) })
    while keeps.maintain(now: Sample.noon) {}
    #expect(try number("SELECT count(*) FROM points") == 3)
    #expect(try number("SELECT count(*) FROM parameters") == 3)
    #expect(try number("SELECT count(*) FROM partitions") == 3)
    // The other node remembers the days that are gone, and finds out.
    #expect(
      writes.apply((0..<5).map(batch), now: Sample.noon).map { $0 == .ingested(IngestReceipt(accepted: 1)) } == [
        false, false, false, true, true,
      ])
    #expect(try number("SELECT count(*) FROM points_odd") == 0)
  }
}
