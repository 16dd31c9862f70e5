import Base
import Store
import Support
import Synchronization
import Testing

@Suite struct FailureTests {
  private func configuration(_ folder: TemporaryFolder, maximumPages: Int?) -> StoreConfiguration {
    var configuration = StoreConfiguration(folder: folder.path)
    configuration.limits.maximumPages = maximumPages
    configuration.limits.checkpointPages = 10
    configuration.limits.probeBytes = 65_536
    return configuration
  }

  @Test func aFullDiskRollsTheGroupBackAndNothingElse() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(configuration(folder, maximumPages: 80))
    var acknowledged = 0
    var outage: [StoreResult] = []
    for number in 0..<1_000 where outage.isEmpty {
      // The second job of the group is the large one: the first must not stay either.
      let group: [StoreJob] = [
        .ingest(Sample.batch(Sample.device(1), [number])),
        .ingest(Sample.batch(Sample.device(2), Array(0..<100), at: { Int64(number * 100 + $0 + 1) })),
      ]
      let results = store.apply(group, now: Sample.noon)
      if case .ingested = results[0] { acknowledged += 1 } else { outage = results }
    }
    #expect(outage == [.unavailable(.full), .unavailable(.full)])
    #expect(store.outage == .full)
    #expect(acknowledged > 3)
    let reader = try SQLiteReader(folder: folder.path)
    #expect(try reader.wholeHistory(of: Sample.device(1), pages: 100).count == acknowledged, "reading goes on")
    #expect(try reader.wholeHistory(of: Sample.device(2), pages: 1_000).count == acknowledged * 100)
    #expect(try reader.problems() == [])
    store.close()
  }

  @Test func aStoreThatWasFullTakesRecordsAgain() throws {
    let folder = try TemporaryFolder()
    var stored = 0
    do {
      let store = try SQLiteStore(configuration(folder, maximumPages: 60))
      while store.ingest(Sample.batch(Array(stored..<stored + 100))) == [100, 0, 0] { stored += 100 }
      #expect(store.outage == .full)
      // Giving a run up makes room: the reset itself is small enough.
      #expect(store.apply(.reset(run: nil)) == .changed(1))
      store.settle()
      #expect(store.outage == nil)
      #expect(store.ingest(Sample.batch(Array(0..<100))) == [100, 0, 0])
      store.close()
    }
    let store = try SQLiteStore(configuration(folder, maximumPages: nil))
    #expect(store.ingest(Sample.batch(Array(0..<stored))) == [stored - 100, 100, 0])
  }

  @Test func anOutageIsNotOverBeforeAProbeIsCommitted() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(configuration(folder, maximumPages: 60))
    var stored = 0
    while store.ingest(Sample.batch(Array(stored..<stored + 100))) == [100, 0, 0] { stored += 100 }
    #expect(store.outage == .full)
    for round in 0..<5 {
      #expect(store.apply(.read { _ in }) == .changed(0), "what writes nothing goes through")
      #expect(store.outage == .full, "round \(round)")
      _ = store.maintain(now: Sample.noon)
      #expect(store.outage == .full, "round \(round)")
    }
    #expect(store.apply(.reset(run: nil)) == .changed(1))
    store.settle()
    #expect(store.outage == nil)
  }

  /// The only connection of a store in memory is the writer's, so that a question stands in a group with uploads.
  @Test func aQuestionInAFailedGroupIsAnswered() throws {
    var configuration = StoreConfiguration(folder: ":memory:")
    configuration.limits.maximumPages = 200
    let store = try SQLiteStore(configuration)
    #expect(store.ingest(Sample.batch([1, 2, 3])) == [3, 0, 0])
    let answers = Mutex<[Int64]>([])
    let question = StoreJob.read { reader in
      do { try answers.withLock { $0.append(try reader.countStored()) } } catch { Issue.record(error) }
    }
    let results = store.apply([.ingest(Sample.batch(Array(10..<20_000))), question], now: Sample.noon)
    #expect(results[0] == .unavailable(.full))
    #expect(answers.withLock { $0 } == [3])
  }

  @Test func whatTheMemoryKnewOfAFailedGroupIsForgotten() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(configuration(folder, maximumPages: 60))
    let large = Sample.batch(Sample.device(2), Array(0..<20_000))
    let command = QueuedCommand(
      target: .device(Sample.device(1)), command: [1], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.day))
    #expect(store.apply(.queue(command)) == .queued(id: 1, isNew: true))
    let failed = store.apply(
      [.ingest(Sample.batch(Sample.device(1), [1])), .queue(command), .ingest(large)], now: Sample.noon)
    #expect(failed.allSatisfy { $0 == .unavailable(.full) })
    let again = store.apply(.ingest(Sample.batch(Sample.device(1), [1])))
    let receipt = IngestReceipt(accepted: 1, commands: [TakenCommand(id: 1, command: [1])])
    #expect(again == .ingested(receipt), "the command was not marked as sent, and only one was ordered")
    #expect(try store.open().device(Sample.device(1))?.points == 1)
  }
}
