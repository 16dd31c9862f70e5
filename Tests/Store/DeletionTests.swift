import Base
import Store
import Testing

/// A device that an administrator deletes.
@Suite struct DeletionTests {
  private let gone = Sample.device(1)
  private let kept = Sample.device(2)

  /// Both devices with 3,000 records, 200 quarantined ones, a log, a tag, and a command that went to everyone.
  private func fill(_ store: TestStore) {
    for device in [gone, kept] {
      for part in 0..<3 {
        _ = store.ingest(Sample.batch(device, Array(part * 1_000..<(part + 1) * 1_000)))
      }
      var bad = Sample.batch(device, Array(0..<200))
      bad.quarantined = bad.points.map {
        QuarantinedItem(identity: $0.uuid, reason: "test", detail: "", record: $0.record)
      }
      bad.points = []
      #expect(store.ingest(bad) == [0, 0, 200])
      for _ in 0..<3 {
        let log = UploadedLog(device: device, receivedAt: Sample.noon, fileName: "log", bytes: [1, 2, 3])
        #expect(store.apply(.keepLog(log)) == .changed(1))
      }
      #expect(store.apply(.setTags(device, ["van"])) == .changed(1))
    }
    order(.everyone(run: ""), in: store)
    for device in [gone, kept] { _ = store.apply(.takeCommands(device, limit: 10)) }
  }

  private func order(_ target: QueuedCommand.Target, in store: TestStore) {
    let expiry = Sample.noon.advanced(byMilliseconds: Sample.day)
    _ = store.apply(.queue(QueuedCommand(target: target, command: [1], expiresAt: expiry)))
  }

  private func expectOnlyTheOther(_ store: TestStore) throws {
    let reader = try store.reader()
    #expect(try reader.device(gone) == nil)
    #expect(try reader.wholeHistory(of: gone).isEmpty)
    #expect(try reader.logs(of: gone).isEmpty)
    #expect(try reader.tags(of: gone).isEmpty)
    #expect(try reader.commands(run: "", device: gone, now: Sample.noon, limit: 10).elements.isEmpty)
    #expect(try reader.allKeys().allSatisfy { $0.device == kept })
    #expect(try reader.quarantine(QuarantineSelection(run: ""), limit: 1_000).elements.allSatisfy { $0.device == kept })
    #expect(try reader.wholeHistory(of: kept, pages: 1_000).count == 3_000)
    #expect(try reader.logs(of: kept).count == 3)
  }

  @Test(arguments: StoreKind.allCases) func itIsGoneAtOnceAndSweptStepByStep(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    fill(store)
    #expect(store.apply(.delete(gone)) == .changed(1))
    try expectOnlyTheOther(store)
    #expect(try store.rows("quarantine") == 400, "nothing long is done at once")
    store.settle()
    try expectOnlyTheOther(store)
    #expect(try store.rows("quarantine") == 200)
    #expect(try store.rows("logs") == 3)
    #expect(try store.rows("deliveries") == 1)
    #expect(try store.rows("device_tags") == 1)
    #expect(try store.rows("points") == 3_000)
    #expect(try store.rows("forgotten") == 0)
    #expect(try store.problems() == [])
    #expect(store.apply(.delete(gone)) == .changed(0))
    store.close()
  }

  @Test(arguments: StoreKind.allCases) func aRestartGoesOnWithTheSweeping(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    fill(store)
    #expect(store.apply(.delete(gone)) == .changed(1))
    _ = store.maintain(now: Sample.noon)
    try store.reopen()
    try expectOnlyTheOther(store)
    store.settle()
    #expect(try store.rows("quarantine") == 200)
    #expect(try store.rows("points") == 3_000)
  }

  @Test(arguments: StoreKind.allCases) func theSameNameIsANewDevice(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    fill(store)
    order(.device(gone), in: store)
    #expect(
      store.apply([.delete(gone), .ingest(Sample.batch(gone, [1, 2]))], now: Sample.noon)[1]
        == .ingested(IngestReceipt(accepted: 2, commands: [TakenCommand(id: 1, command: [1])])),
      "its own command is gone, the one for everyone is not")
    store.settle()
    #expect(try store.reader().device(gone)?.points == 2)
    #expect(try store.reader().wholeHistory(of: gone).count == 2)
  }

  @Test(arguments: StoreKind.allCases) func itsTokensAreToldUntilItRegistersAgain(_ kind: StoreKind) throws {
    let store = try TestStore(kind, isKept: true)
    let expiry = Sample.noon.advanced(byMilliseconds: 90 * Sample.day)
    let first = TokenFamily(device: gone, refresh: Sample.uuid(1), expiresAt: expiry)
    #expect(store.apply(.beginFamily(first)) == .family(1))
    #expect(store.apply(.delete(gone)) == .changed(1), "a device that has only registered is one too")
    #expect(store.apply(.delete(gone)) == .changed(0))
    func refusal(_ family: Int64, isBinding: Bool = true) -> StoreResult {
      store.apply(.checkToken(gone, TokenCredential(family: family, issuedAt: Sample.noon, isBinding: isBinding)))
    }
    #expect(refusal(1) == .refused(.deviceDeleted))
    #expect(refusal(1, isBinding: false) == .refused(.deviceDeleted))
    let rotation = TokenRotation(
      presented: Sample.uuid(1), successor: Sample.uuid(2), answer: [1], expiresAt: expiry)
    #expect(store.apply(.rotate(rotation)) == .refused(.deviceDeleted))
    let second = TokenFamily(device: gone, refresh: Sample.uuid(3), expiresAt: expiry)
    #expect(store.apply(.beginFamily(second)) == .family(2))
    #expect(refusal(2) == .changed(0))
    #expect(refusal(1) == .refused(.deviceDeleted), "an old token stays what it is")
  }

  @Test(arguments: StoreKind.allCases) func whereNoTokenIsAskedForOnlyADeletedDeviceIsRefused(_ kind: StoreKind) throws
  {
    let store = try TestStore(kind, isKept: true)
    let free = TokenCredential(family: 1, issuedAt: Sample.noon, isBinding: false)
    #expect(store.apply(.checkToken(gone, free)) == .changed(0), "unknown")
    let expiry = Sample.noon.advanced(byMilliseconds: Sample.day)
    _ = store.apply(.beginFamily(TokenFamily(device: gone, refresh: Sample.uuid(1), expiresAt: expiry)))
    #expect(store.apply(.checkToken(kept, free)) == .changed(0), "of another device")
    #expect(store.apply(.revokeTokens(.device(gone))) == .changed(1))
    #expect(store.apply(.checkToken(gone, free)) == .changed(0), "revoked")
  }
}
