import Base
import Glibc
import Store
import Support
import SyncFaults
import Testing

/// Syncs that fail. The kernel forgets what it could not write, and says so once: the next sync of the same file succeeds
/// and means nothing (https://lwn.net/Articles/752063/). So it must never be asked again for bytes that are not written
/// again.
@Suite(.serialized) struct SyncFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(checkpointPages: Int = 1_000_000) throws -> SQLiteStore {
    var configuration = StoreConfiguration(folder: folder.path)
    configuration.limits.checkpointPages = checkpointPages
    return try SQLiteStore(configuration)
  }

  /// Runs `body` while the files of the store are watched.
  private func watch(_ body: () throws -> Void) throws {
    unsafe rr_watch_files(folder.path)
    defer { rr_watch_files(nil) }
    try body()
  }

  private func failSyncs(of name: String, times: Int32) { unsafe rr_fail_syncs(name, times) }

  private var events: [String] {
    let text = unsafe rr_copy_file_events()
    defer { unsafe free(text) }
    return unsafe String(cString: text).split(separator: "\n").map(String.init)
  }

  /// The log is copied back by a thread of its own, whose outcome the store hears at one of its next steps.
  private func settleUntilOutage(_ store: SQLiteStore) {
    for _ in 0..<10_000_000 where store.outage == nil {
      store.settle()
      sched_yield()
    }
  }

  private func group(_ numbers: Range<Int>) -> [StoreJob] {
    numbers.map { .ingest(Sample.batch(Sample.device($0), [$0])) }
  }

  private func isAcknowledged(_ result: StoreResult) -> Bool {
    if case .ingested(let receipt) = result { receipt.accepted + receipt.duplicate == 1 } else { false }
  }

  /// Whether, behind the last failure, the main file was written and synced before the log was synced for an answer.
  private func expectRewritten(_ events: [String]) throws {
    let failure = try #require(events.lastIndex { $0.hasPrefix("failed ") }, "no sync has failed: \(events)")
    let rest = Array(events[(failure + 1)...])
    let writing = try #require(rest.firstIndex(of: "write store.db"), "\(rest)")
    let syncing = try #require(rest[writing...].firstIndex(of: "sync store.db"), "\(rest)")
    let answer = try #require(rest.lastIndex(of: "sync store.db-wal"), "\(rest)")
    #expect(syncing < answer, "\(rest)")
  }

  @Test func noRequestOfAGroupWhoseSyncFailedIsAcknowledged() throws {
    let store = try open()
    #expect(store.apply(group(0..<3), now: Sample.noon).allSatisfy { isAcknowledged($0) })
    try watch {
      failSyncs(of: "store.db-wal", times: 1)
      let results = store.apply(group(3..<6) + [.takeCommands(Sample.device(0), limit: 1)], now: Sample.noon)
      #expect(results == Array(repeating: .unavailable(.inputOutput), count: 4))
      #expect(store.outage == .inputOutput)
      #expect(store.apply(group(3..<6), now: Sample.noon).allSatisfy { isAcknowledged($0) })
      try expectRewritten(events)
    }
    #expect(try store.open().countStored() == 6)
    #expect(try store.open().problems() == [])
  }

  @Test func whileSyncsFailNothingIsAcknowledgedAndNothingIsLost() throws {
    do {
      let store = try open()
      #expect(store.apply(group(0..<10), now: Sample.noon).allSatisfy { isAcknowledged($0) })
      try watch {
        for file in ["store.db-wal", "store.db"] {
          failSyncs(of: file, times: .max)
          for round in 0..<5 {
            let results = store.apply(group(10..<13), now: Sample.noon)
            #expect(!results.contains { isAcknowledged($0) }, "\(file), round \(round)")
            #expect(!store.maintain(now: Sample.noon))
            #expect(store.outage != nil, "\(file), round \(round)")
          }
        }
        failSyncs(of: "", times: 0)
        #expect(store.apply(group(10..<13), now: Sample.noon).allSatisfy { isAcknowledged($0) })
        try expectRewritten(events)
      }
      store.settle()
      #expect(store.outage == nil)
    }
    let store = try open()
    #expect(try store.open().countStored() == 13)
    #expect(try store.open().problems() == [])
  }

  @Test func aCheckpointWhoseSyncFailedIsDoneAgainBeforeTheNextAnswer() throws {
    let store = try open(checkpointPages: 1)
    try watch {
      #expect(store.apply(group(0..<3), now: Sample.noon).allSatisfy { isAcknowledged($0) })
      failSyncs(of: "store.db", times: 1)
      settleUntilOutage(store)
      #expect(store.outage == .inputOutput)
      #expect(store.apply(group(3..<6), now: Sample.noon).allSatisfy { isAcknowledged($0) })
      try expectRewritten(events)
    }
    #expect(try store.open().countStored() == 6)
  }
}
