import Base
import Store
import Support
import Testing

@Suite struct CommandTests {
  private let store: SQLiteStore
  private let device = Sample.device(1)

  init() throws { store = try SQLiteStore(StoreConfiguration(folder: ":memory:")) }

  private func order(
    _ target: QueuedCommand.Target, _ text: String = #"["stop"]"#, minutes: Int64 = 60, key: String? = nil
  ) -> Int64? {
    let order = QueuedCommand(
      target: target, command: Array(text.utf8),
      expiresAt: Sample.noon.advanced(byMilliseconds: minutes * Sample.minute),
      deduplicationKey: key)
    guard case .queued(let id, _) = store.apply(.queue(order)) else { return nil }
    return id
  }

  private func upload(_ device: DeviceIdentity, _ number: Int, now: WallInstant = Sample.noon) -> [Int64] {
    guard case .ingested(let receipt) = store.apply(.ingest(Sample.batch(device, [number])), now: now) else {
      return []
    }
    return receipt.commands.map(\.id)
  }

  private func states(_ device: DeviceIdentity, now: WallInstant = Sample.noon) throws -> [LedgerLine.State] {
    try store.open().ledger(run: "", device: device, now: now, limit: 100).elements.map(\.state)
  }

  @Test func aCommandComesWithTheNextUploadAndOnlyThere() throws {
    let id = try #require(order(.device(device)))
    #expect(upload(Sample.device(2), 1) == [])
    #expect(try states(device) == [.queued])
    #expect(upload(device, 1) == [id])
    #expect(upload(device, 2) == [])
    #expect(try states(device) == [.sent])
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(1))
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(0))
    #expect(try states(device) == [.delivered])
  }

  @Test func everyoneIsServedOnceAndATagOnlyItsOwn() throws {
    _ = store.apply(.setTags(device, ["van", "north"]))
    let all = try #require(order(.everyone(run: "")))
    let van = try #require(order(.tag("van", run: "")))
    _ = order(.everyone(run: "other"))
    #expect(upload(device, 1) == [all, van])
    #expect(upload(device, 2) == [])
    #expect(upload(Sample.device(2), 3) == [all])
    #expect(try store.open().tags(of: device) == ["north", "van"])
  }

  @Test func whatWasNotDeliveredIsDueAgain() throws {
    let id = try #require(order(.everyone(run: "")))
    #expect(upload(device, 1) == [id])
    #expect(store.apply(.returnCommands(device, ids: [id, 77])) == .changed(1))
    #expect(upload(device, 2) == [id])
    #expect(try store.open().ledger(run: "", now: Sample.noon, limit: 9).elements.map(\.attempts) == [2])
  }

  @Test func anExpiredCommandIsNotSent() throws {
    _ = order(.device(device), minutes: 1)
    _ = order(.everyone(run: ""), minutes: 1)
    let later = Sample.noon.advanced(byMilliseconds: Sample.minute)
    #expect(upload(device, 1, now: later) == [])
    #expect(try states(device, now: later) == [.expired])
  }

  @Test func aKeyThatIsOpenAddsNothing() throws {
    let id = try #require(order(.device(device), key: "k"))
    #expect(order(.device(device), key: "k") == id)
    #expect(order(.device(Sample.device(2)), key: "k") != id)
    #expect(upload(device, 1) == [id])
    #expect(order(.device(device), key: "k") != id)
  }

  @Test func theLimitOfAnAnswerHolds() throws {
    let ids = (0..<5).compactMap { _ in order(.device(device)) } + (0..<3).compactMap { _ in order(.everyone(run: "")) }
    var taken: [Int64] = []
    for _ in 0..<5 {
      guard case .commands(let commands) = store.apply(.takeCommands(device, limit: 2)) else { return }
      #expect(commands.count <= 2)
      taken += commands.map(\.id)
    }
    #expect(taken == ids)
  }

  @Test func ordersBeyondTheLimitAreRefusedUntilSomeExpire() throws {
    var configuration = StoreConfiguration(folder: ":memory:")
    configuration.limits.openOrders = 2
    let small = try SQLiteStore(configuration)
    let order = QueuedCommand(
      target: .device(device), command: [], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.minute))
    #expect(small.apply(.queue(order)) == .queued(id: 1, isNew: true))
    #expect(small.apply(.queue(order)) == .queued(id: 2, isNew: true))
    #expect(small.apply(.queue(order)) == .tooManyCommands)
    let later = Sample.noon.advanced(byMilliseconds: 2 * Sample.minute)
    #expect(small.apply(.queue(order), now: later) == .queued(id: 3, isNew: true))
  }

  @Test func openCommandsSurviveTheProcess() throws {
    let folder = try TemporaryFolder()
    let configuration = StoreConfiguration(folder: folder.path)
    let target = QueuedCommand(
      target: .device(device), command: [1], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.minute))
    let all = QueuedCommand(target: .everyone(run: ""), command: [2], expiresAt: target.expiresAt)
    do {
      let first = try SQLiteStore(configuration)
      #expect(first.apply(.queue(target)) == .queued(id: 1, isNew: true))
      #expect(first.apply(.queue(all)) == .queued(id: 2, isNew: true))
      _ = first.apply(.takeCommands(Sample.device(2), limit: 9))
      #expect(first.apply(.returnCommands(Sample.device(2), ids: [2])) == .changed(1))
      first.close()
    }
    let second = try SQLiteStore(configuration)
    guard case .commands(let own) = second.apply(.takeCommands(device, limit: 9)) else { return }
    #expect(own.map(\.command) == [[1], [2]])
    guard case .commands(let returned) = second.apply(.takeCommands(Sample.device(2), limit: 9)) else { return }
    #expect(returned.map(\.command) == [[2]])
  }
}
