import Base
import Store
import Testing

/// Names that look alike, "é" in one scalar and in two, are two rows of a database: two devices, runs and tags here as well.
@Suite struct ExactNameTests {
  private static let names = ["caf\u{E9}", "cafe\u{301}"]
  private let one = DeviceIdentity(name: names[0])
  private let other = DeviceIdentity(name: names[1])

  private func order(_ target: QueuedCommand.Target, in store: TestStore) throws -> Int64 {
    let order = QueuedCommand(
      target: target, command: [1], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.day),
      deduplicationKey: Self.names[0])
    guard case .queued(let id, true) = store.apply(.queue(order)) else { return try #require(nil) }
    return id
  }

  private func taken(by device: DeviceIdentity, from store: TestStore) -> [Int64]? {
    guard case .commands(let commands) = store.apply(.takeCommands(device, limit: 10)) else { return nil }
    return commands.map(\.id)
  }

  @Test(arguments: StoreKind.allCases) func theirRecordsStayApartAndOneIsDeletedAlone(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    let results = store.apply(
      [.ingest(Sample.batch(one, [1])), .ingest(Sample.batch(other, [1, 2]))], now: Sample.noon)
    for case .ingested(let receipt) in results { #expect(receipt.duplicate == 0) }
    #expect(try store.reader().wholeHistory(of: one).count == 1)
    #expect(try store.reader().wholeHistory(of: other).count == 2)
    #expect(store.apply(.delete(other)) == .changed(1))
    #expect(try store.reader().wholeHistory(of: one).count == 1)
    try store.reopen()
    #expect(store.ingest(Sample.batch(one, [1])) == [0, 1, 0])
  }

  @Test(arguments: StoreKind.allCases) func theirCommandsStayApart(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let ids = [try order(.device(one), in: store), try order(.device(other), in: store)]
    #expect(taken(by: other, from: store) == [ids[1]])
    #expect(taken(by: one, from: store) == [ids[0]])
  }

  @Test(arguments: StoreKind.allCases) func runsAndTagsAreToldApartToo(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let (here, there) = (Sample.device(run: Self.names[0]), Sample.device(run: Self.names[1]))
    for device in [here, there] {
      #expect(store.apply(.setTags(device, [Self.names[0]])) == .changed(1))
    }
    let all = try order(.everyone(run: here.run), in: store)
    let van = try order(.tag(Self.names[0], run: there.run), in: store)
    _ = try order(.tag(Self.names[1], run: there.run), in: store)
    let taken = store.apply([.takeCommands(there, limit: 9), .takeCommands(here, limit: 9)], now: Sample.noon).map {
      (result) -> [Int64] in
      if case .commands(let commands) = result { commands.map(\.id) } else { [] }
    }
    #expect(taken == [[van], [all]])
  }
}
