import Base
import Store
import Testing

/// Commands that records prove.
@Suite struct CommandProofTests {
  private let device = Sample.device(1)
  private let minute = Sample.minute

  /// Orders a command and sends it with an upload of noon.
  private func send(_ proof: CommandProof?, _ store: TestStore, to other: DeviceIdentity? = nil) throws -> Int64 {
    let expiry = Sample.noon.advanced(byMilliseconds: Sample.day)
    let target = QueuedCommand.Target.device(other ?? device)
    let result = store.apply(.queue(QueuedCommand(target: target, command: [1], expiresAt: expiry, proof: proof)))
    guard case .queued(let id, _) = result else { return -1 }
    #expect(
      store.apply(.takeCommands(other ?? device, limit: 10)) == .commands([TakenCommand(id: id, command: [1])]))
    return id
  }

  /// One record, so many minutes after noon; returns what it proved.
  private func record(
    _ store: TestStore, after minutes: Int64 = 1, _ number: Int = 1, of device: DeviceIdentity? = nil,
    change: (inout Point) -> Void
  ) -> [Int64] {
    let time = Sample.noon.millisecondsSince1970 + minutes * minute
    var batch = Sample.batch(device ?? self.device, [number], at: { _ in time })
    change(&batch.points[0])
    guard case .ingested(let receipt) = store.apply(.ingest(batch)) else { return [-1] }
    return receipt.confirmed
  }

  private func states(_ store: TestStore) throws -> [CommandProgress.State] {
    try store.reader().commands(run: "", device: device, now: Sample.noon, limit: 100).elements.map(\.state)
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func aMotionChangeIntoTheOrderedStateProvesIt(_ kind: StoreKind, isMoving: Bool) throws {
    let store = try TestStore(kind)
    let id = try send(.motionChange(isMoving: isMoving), store)
    #expect(record(store, 1) { $0.isMoving = !isMoving } == [])
    #expect(
      record(store, 2) { point in
        point.isMoving = isMoving
        point.event = nil
      } == [], "no motion change")
    #expect(record(store, after: -1, 3) { $0.isMoving = isMoving } == [], "recorded before the command was sent")
    #expect(record(store, 4, of: Sample.device(2)) { $0.isMoving = isMoving } == [], "another device")
    #expect(try states(store) == [.sent])
    #expect(record(store, 5) { $0.isMoving = isMoving } == [id])
    #expect(try states(store) == [.confirmed])
    #expect(record(store, 6) { $0.isMoving = isMoving } == [], "once")
    let line = try #require(
      try store.reader().commands(run: "", device: device, now: Sample.noon, limit: 1).elements.first)
    #expect(line.confirmedAt == Sample.noon.millisecondsSince1970 && line.deliveredAt == line.confirmedAt)
  }

  @Test(arguments: StoreKind.allCases) func anOdometerNearTheValueProvesIt(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let odometers = [
      (4_998.0, false), (4_999.0, true), (5_000.0, true), (6_000.0, true), (6_001.0, false), (0.0, false),
    ]
    for (number, (odometer, isProof)) in odometers.enumerated() {
      let device = Sample.device(number)
      let id = try send(.odometer(metres: 5_000), store, to: device)
      #expect(record(store, of: device) { $0.odometer = odometer } == (isProof ? [id] : []), "\(odometer)")
    }
  }

  @Test(arguments: StoreKind.allCases) func aLaterOrderOfTheKindTakesThePlaceOfAnEarlierOne(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = try send(.motionChange(isMoving: true), store)
    let second = try send(.motionChange(isMoving: false), store)
    let odometer = try send(.odometer(metres: 0), store)
    #expect(record(store, 1) { $0.isMoving = true } == [])
    let proven = record(store, 2) { point in
      point.isMoving = false
      point.odometer = 3
    }
    #expect(proven.sorted() == [second, odometer])
    #expect(try states(store) == [.sent, .confirmed, .confirmed])
  }

  @Test(arguments: StoreKind.allCases) func whatLeavesNoMarkIsNeverConfirmed(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = try send(nil, store)
    #expect(record(store) { $0.isMoving = true } == [])
    #expect(try states(store) == [.sent])
  }

  @Test(arguments: StoreKind.allCases) func aDeliveredCommandIsConfirmedAndNotGivenBackThen(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let id = try send(.motionChange(isMoving: true), store)
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(1))
    #expect(try states(store) == [.delivered])
    #expect(record(store) { $0.isMoving = true } == [id])
    #expect(try states(store) == [.confirmed])
    #expect(store.apply(.returnCommands(device, ids: [id])) == .changed(0))
    #expect(store.apply(.markDelivered(device, ids: [id])) == .changed(0))
  }

  @Test(arguments: StoreKind.allCases) func aCommandThatCameBackIsNotProvenUntilItIsSentAgain(_ kind: StoreKind) throws
  {
    let store = try TestStore(kind)
    let id = try send(.motionChange(isMoving: true), store)
    #expect(store.apply(.returnCommands(device, ids: [id])) == .changed(1))
    #expect(record(store, 1) { $0.isMoving = true } == [])
    #expect(record(store, 2) { $0.isMoving = true } == [id], "it went out with the answer to the first")
  }

  @Test(arguments: StoreKind.allCases) func aRestartForgetsNoProof(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    let id = try send(.motionChange(isMoving: true), store)
    try store.reopen()
    #expect(record(store) { $0.isMoving = true } == [id])
  }

  @Test(arguments: StoreKind.allCases) func theLastExpiryIsThatOfACommandThatWaits(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    func last() throws -> Int64? { try store.reader().lastOrderExpiry()?.milliseconds(since: Sample.noon) }
    #expect(try last() == nil)
    func order(_ target: QueuedCommand.Target, minutes: Int64) {
      let expiry = Sample.noon.advanced(byMilliseconds: minutes * minute)
      _ = store.apply(.queue(QueuedCommand(target: target, command: [1], expiresAt: expiry)))
    }
    order(.device(device), minutes: 5)
    #expect(try last() == 5 * minute)
    order(.device(Sample.device(2)), minutes: 3)
    #expect(store.apply(.takeCommands(device, limit: 10)) != .commands([]))
    #expect(try last() == 3 * minute, "the other is fetched")
    #expect(store.apply(.returnCommands(device, ids: [1])) == .changed(1))
    #expect(try last() == 5 * minute, "and came back")
    order(.everyone(run: ""), minutes: 9)
    _ = store.apply(.takeCommands(device, limit: 10))
    #expect(try last() == 9 * minute, "an order to many waits for others")
  }
}
