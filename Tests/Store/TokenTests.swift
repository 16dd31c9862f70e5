import Base
import Store
import Testing

@Suite struct TokenTests {
  private let device = Sample.device(1)

  private func later(_ milliseconds: Int64) -> WallInstant { Sample.noon.advanced(byMilliseconds: milliseconds) }

  private func begin(_ store: TestStore, _ refresh: Int = 1) -> Int64 {
    let family = TokenFamily(device: device, refresh: Sample.uuid(refresh), expiresAt: later(Sample.day))
    guard case .family(let id) = store.apply(.beginFamily(family)) else { return 0 }
    return id
  }

  private func rotate(_ store: TestStore, _ presented: Int, to successor: Int, after milliseconds: Int64 = 0)
    -> StoreResult
  {
    store.apply(
      .rotate(
        TokenRotation(
          presented: Sample.uuid(presented), successor: Sample.uuid(successor), answer: [UInt8(successor)],
          expiresAt: later(Sample.day))),
      now: later(milliseconds))
  }

  private func check(_ store: TestStore, _ family: Int64, issued: Int64 = 0, by identity: DeviceIdentity? = nil)
    -> StoreResult
  {
    store.apply(.checkToken(identity ?? device, TokenCredential(family: family, issuedAt: later(issued))))
  }

  @Test(arguments: StoreKind.allCases) func aRefreshIsUsedOnce(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(rotate(store, 1, to: 2) == .rotated(family: family))
    #expect(rotate(store, 2, to: 3) == .rotated(family: family))
    #expect(rotate(store, 9, to: 4) == .refused(.unknown))
  }

  @Test(arguments: StoreKind.allCases) func aRepeatedRefreshGetsTheSameSuccessorWithinTheGrace(_ kind: StoreKind) throws
  {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(rotate(store, 1, to: 2) == .rotated(family: family))
    #expect(rotate(store, 1, to: 3, after: 30_000) == .rotatedBefore(family: family, answer: [2]))
    #expect(rotate(store, 3, to: 4, after: 30_000) == .refused(.unknown))
    #expect(rotate(store, 2, to: 5, after: 30_000) == .rotated(family: family))
  }

  @Test(arguments: StoreKind.allCases) func aReplayAfterTheGraceEndsTheFamily(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(rotate(store, 1, to: 2) == .rotated(family: family))
    #expect(check(store, family) == .changed(0))
    #expect(rotate(store, 1, to: 3, after: 30_001) == .refused(.replayed))
    #expect(rotate(store, 2, to: 4, after: 30_002) == .refused(.revoked))
    #expect(check(store, family) == .refused(.revoked))
  }

  @Test(arguments: StoreKind.allCases) func anOlderTokenIsAReplayEvenWithinTheGrace(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = begin(store)
    _ = rotate(store, 1, to: 2)
    _ = rotate(store, 2, to: 3)
    #expect(rotate(store, 1, to: 4) == .refused(.replayed))
  }

  /// A server that has rotated tokens and does so no more: what was used up until then stays so.
  @Test(arguments: StoreKind.allCases) func aUsedTokenStaysUsedWithoutRotation(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(rotate(store, 1, to: 1) == .rotated(family: family))
    #expect(rotate(store, 1, to: 2) == .rotated(family: family))
    #expect(rotate(store, 2, to: 2, after: 30_000) == .rotated(family: family))
    #expect(rotate(store, 1, to: 1, after: 30_000) == .rotated(family: family), "within the grace")
    #expect(rotate(store, 1, to: 1, after: 30_001) == .refused(.replayed))
    #expect(rotate(store, 2, to: 2, after: 30_001) == .refused(.revoked))
  }

  @Test(arguments: StoreKind.allCases) func aFamilyExpires(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    _ = begin(store)
    #expect(rotate(store, 1, to: 2, after: Sample.day) == .refused(.expired))
  }

  @Test(arguments: StoreKind.allCases) func anAccessTokenIsOfItsDeviceAndItsFamily(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(check(store, family) == .changed(0))
    #expect(check(store, family, by: Sample.device(2)) == .refused(.wrongDevice))
    #expect(check(store, family + 1) == .refused(.unknown))
  }

  @Test(arguments: StoreKind.allCases) func expiringRefusesAccessTokensUntilTheNextRefresh(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(store.apply(.expireTokens(.device(device))) == .changed(1))
    #expect(check(store, family, issued: 0) == .refused(.expired))
    #expect(rotate(store, 1, to: 2, after: 1) == .rotated(family: family))
    #expect(check(store, family, issued: 1) == .changed(0))
  }

  @Test(arguments: StoreKind.allCases, [TokenSelection.all, .run(""), .device(Sample.device(1)), .family(1)])
  func revokingReachesTheSelected(_ kind: StoreKind, selection: TokenSelection) throws {
    let store = try TestStore(kind)
    let family = begin(store)
    #expect(store.apply(.revokeTokens(selection)) == .changed(1))
    #expect(check(store, family) == .refused(.revoked))
    #expect(rotate(store, 1, to: 2) == .refused(.revoked))
  }

  @Test(arguments: StoreKind.allCases) func aRefusedBatchLeavesNothing(_ kind: StoreKind) throws {
    let store = try TestStore(kind)
    var batch = Sample.batch([1])
    batch.credential = TokenCredential(family: 5, issuedAt: Sample.noon)
    #expect(store.apply(.ingest(batch)) == .refused(.unknown))
    #expect(try store.reader().counts().devices == 0)
  }
}
