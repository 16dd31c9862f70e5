import Base
import Store
import Testing

@Suite struct CommandTests {
  private let device = Sample.device(1)

  private func order(
    _ store: TestStore, _ target: QueuedCommand.Target, _ text: String = #"["stop"]"#, minutes: Int64 = 60,
    key: String? = nil
  ) -> Int64? {
    let order = QueuedCommand(
      target: target, command: Array(text.utf8),
      expiresAt: Sample.noon.advanced(byMilliseconds: minutes * Sample.minute),
      deduplicationKey: key)
    guard case .queued(let id, _) = store.apply(.queue(order)) else { return nil }
    return id
  }

  private func upload(_ store: TestStore, _ device: DeviceIdentity, _ number: Int, now: WallInstant = Sample.noon)
    -> [Int64]
  {
    guard case .ingested(let receipt) = store.apply(.ingest(Sample.batch(device, [number])), now: now) else {
      return []
    }
    return receipt.commands.map(\.id)
  }

  private func states(_ store: TestStore, _ device: DeviceIdentity, now: WallInstant = Sample.noon) throws
    -> [CommandProgress.State]
  {
    try store.reader().commands(run: "", device: device, now: now, limit: 100).elements.map(\.state)
  }

  @Test(arguments: StoreKind.allCases) func aCommandComesWithTheNextUploadAndOnlyThere(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let id = try #require(order(store, .device(device)))
    #expect(upload(store, Sample.device(2), 1) == [])
    #expect(try states(store, device) == [.queued])
    #expect(upload(store, device, 1) == [id])
    #expect(upload(store, device, 2) == [])
    #expect(try states(store, device) == [.sent])
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(1))
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(0))
    #expect(try states(store, device) == [.delivered])
  }

  @Test(arguments: StoreKind.allCases) func everyoneIsServedOnceAndATagOnlyItsOwn(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = store.apply(.setTags(device, ["van", "north"]))
    let all = try #require(order(store, .everyone(run: "")))
    let van = try #require(order(store, .tag("van", run: "")))
    _ = order(store, .everyone(run: "other"))
    #expect(upload(store, device, 1) == [all, van])
    #expect(upload(store, device, 2) == [])
    #expect(upload(store, Sample.device(2), 3) == [all])
    #expect(try store.reader().tags(of: device) == ["north", "van"])
  }

  /// The last word counts, whomever it was for: of `stop` to all and a later `start` to one the phone must do the second.
  @Test(arguments: StoreKind.allCases) func ordersGoOutAsTheyWereQueued(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = store.apply(.setTags(device, ["van"]))
    let targets: [QueuedCommand.Target] = [
      .everyone(run: ""), .device(device), .tag("van", run: ""), .device(device), .everyone(run: ""),
    ]
    let ids = try targets.map { try #require(order(store, $0)) }
    #expect(upload(store, device, 1) == ids)
    #expect(store.apply(.returnCommands(device, ids: [ids[1], ids[3]])) == .changed(4))
    let later = try #require(order(store, .everyone(run: "")))
    #expect(upload(store, device, 2) == ids[1...] + [later])
  }

  @Test(arguments: StoreKind.allCases) func whatWasNotDeliveredIsDueAgain(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let id = try #require(order(store, .everyone(run: "")))
    #expect(upload(store, device, 1) == [id])
    #expect(store.apply(.returnCommands(device, ids: [id, 77])) == .changed(1))
    #expect(upload(store, device, 2) == [id])
    #expect(try store.reader().commands(run: "", now: Sample.noon, limit: 9).elements.map(\.attempts) == [2])
  }

  /// Alone, the older one would be the last that the device gets, and its state would hold.
  @Test(arguments: StoreKind.allCases) func whatWasSentBehindALostCommandComesAgainBehindIt(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let old = try #require(order(store, .device(device), #"["setConfig",{"distanceFilter":10}]"#))
    #expect(upload(store, device, 1) == [old])
    let short = try #require(order(store, .device(device), minutes: 1))
    let new = try #require(order(store, .everyone(run: ""), #"["setConfig",{"distanceFilter":99}]"#))
    #expect(upload(store, device, 2) == [short, new])
    #expect(store.apply(.markDelivered(device, ids: [short, new])) == .changed(2))
    let later = Sample.noon.advanced(byMilliseconds: Sample.minute)
    #expect(store.apply(.returnCommands(device, ids: [old]), now: later) == .changed(2))
    #expect(
      try states(store, device, now: later) == [.queued, .delivered, .queued], "what has expired is not repeated")
    #expect(store.apply(.markDelivered(device, ids: [new]), now: later) == .changed(0))
    #expect(upload(store, device, 3, now: later) == [old, new])
    #expect(store.apply(.markDelivered(device, ids: [old, new]), now: later) == .changed(2))
    #expect(upload(store, device, 4, now: later) == [])
  }

  /// In one group with the fetch that came between.
  @Test(arguments: StoreKind.allCases) func aLostAnswerBehindAFetchInOneGroupTakesItAlong(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let old = try #require(order(store, .device(device)))
    #expect(upload(store, device, 1) == [old])
    let new = try #require(order(store, .device(device)))
    let results = store.apply(
      [.takeCommands(device, limit: 10), .returnCommands(device, ids: [old])], now: Sample.noon)
    #expect(results == [.commands([TakenCommand(id: new, command: Array(#"["stop"]"#.utf8))]), .changed(2)])
    #expect(upload(store, device, 2) == [old, new])
  }

  @Test(arguments: StoreKind.allCases) func anExpiredCommandIsNotSent(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = order(store, .device(device), minutes: 1)
    _ = order(store, .everyone(run: ""), minutes: 1)
    let later = Sample.noon.advanced(byMilliseconds: Sample.minute)
    #expect(upload(store, device, 1, now: later) == [])
    #expect(try states(store, device, now: later) == [.expired])
  }

  @Test(arguments: StoreKind.allCases) func aKeyThatIsOpenAddsNothing(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let id = try #require(order(store, .device(device), key: "k"))
    #expect(order(store, .device(device), key: "k") == id)
    #expect(order(store, .device(Sample.device(2)), key: "k") != id)
    #expect(upload(store, device, 1) == [id])
    #expect(order(store, .device(device), key: "k") != id)
  }

  @Test(arguments: StoreKind.allCases) func theKeyOfACommandThatCameBackIsOpen(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let id = try #require(order(store, .device(device), key: "k"))
    #expect(upload(store, device, 1) == [id])
    #expect(store.apply(.returnCommands(device, ids: [id])) == .changed(1))
    #expect(order(store, .device(device), key: "k") == id)
    #expect(upload(store, device, 2) == [id])
    #expect(order(store, .device(device), key: "k") != id)
  }

  @Test(arguments: StoreKind.allCases) func theLimitOfAnAnswerHolds(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let ids =
      (0..<5).compactMap { _ in order(store, .device(device)) }
      + (0..<3).compactMap { _ in order(store, .everyone(run: "")) }
    var taken: [Int64] = []
    for _ in 0..<5 {
      guard case .commands(let commands) = store.apply(.takeCommands(device, limit: 2)) else { return }
      #expect(commands.count <= 2)
      taken += commands.map(\.id)
    }
    #expect(taken == ids)
  }

  @Test(arguments: StoreKind.allCases) func ordersBeyondTheLimitAreRefusedUntilSomeExpire(_ kind: StoreKind) throws {
    let small = try TestStore(kind) { $0.limits.openOrders = 2 }
    let order = QueuedCommand(
      target: .device(device), command: [], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.minute))
    #expect(small.apply(.queue(order)) == .queued(id: 1, isNew: true))
    #expect(small.apply(.queue(order)) == .queued(id: 2, isNew: true))
    #expect(small.apply(.queue(order)) == .tooManyCommands)
    let later = Sample.noon.advanced(byMilliseconds: 2 * Sample.minute)
    guard case .queued(let id, true) = small.apply(.queue(order), now: later), id > 2 else {
      Issue.record("the others have expired")
      return
    }
  }

  /// The ledger forgets an old order that nothing has closed.
  @Test(arguments: StoreKind.allCases) func anOrderThatTheLedgerForgetsIsNotOpen(_ kind: StoreKind) throws {
    let small = try TestStore(kind) { ($0.limits.openOrders, $0.limits.ledgerOrders) = (2, 1) }
    #expect(order(small, .device(device), minutes: 1) != nil && order(small, .device(device), minutes: 600) != nil)
    let later = Sample.noon.advanced(byMilliseconds: 2 * Sample.minute)
    small.settle(now: later)
    #expect(try small.reader().commands(run: "", now: later, limit: 9).elements.map(\.id) == [2])
    let next = QueuedCommand(
      target: .device(device), command: [], expiresAt: later.advanced(byMilliseconds: Sample.minute))
    #expect(small.apply(.queue(next), now: later) == .queued(id: 3, isNew: true))
  }

  @Test(arguments: StoreKind.allCases) func openCommandsSurviveTheProcess(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    let target = QueuedCommand(
      target: .device(device), command: [1], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.minute))
    let all = QueuedCommand(target: .everyone(run: ""), command: [2], expiresAt: target.expiresAt)
    #expect(store.apply(.queue(target)) == .queued(id: 1, isNew: true))
    #expect(store.apply(.queue(all)) == .queued(id: 2, isNew: true))
    _ = store.apply(.takeCommands(Sample.device(2), limit: 9))
    #expect(store.apply(.returnCommands(Sample.device(2), ids: [2])) == .changed(1))
    try store.reopen()
    guard case .commands(let own) = store.apply(.takeCommands(device, limit: 9)) else { return }
    #expect(own.map(\.command) == [[1], [2]])
    guard case .commands(let returned) = store.apply(.takeCommands(Sample.device(2), limit: 9)) else { return }
    #expect(returned.map(\.command) == [[2]])
  }
}
