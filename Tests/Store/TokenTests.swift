import Base
import Store
import Testing

@Suite struct TokenTests {
  private let store: SQLiteStore
  private let device = Sample.device(1)

  init() throws { store = try SQLiteStore(StoreConfiguration(folder: ":memory:")) }

  private func later(_ milliseconds: Int64) -> WallInstant { Sample.noon.advanced(byMilliseconds: milliseconds) }

  private func begin(_ refresh: Int = 1) -> Int64 {
    let family = TokenFamily(device: device, refresh: Sample.uuid(refresh), expiresAt: later(Sample.day))
    guard case .family(let id) = store.apply(.beginFamily(family)) else { return 0 }
    return id
  }

  private func rotate(_ presented: Int, to successor: Int, after milliseconds: Int64 = 0) -> StoreResult {
    store.apply(
      .rotate(
        TokenRotation(
          presented: Sample.uuid(presented), successor: Sample.uuid(successor), answer: [UInt8(successor)],
          expiresAt: later(Sample.day))),
      now: later(milliseconds))
  }

  private func check(_ family: Int64, issued: Int64 = 0, by identity: DeviceIdentity? = nil) -> StoreResult {
    store.apply(.checkToken(identity ?? device, TokenCredential(family: family, issuedAt: later(issued))))
  }

  @Test func aRefreshIsUsedOnce() {
    let family = begin()
    #expect(rotate(1, to: 2) == .rotated(family: family))
    #expect(rotate(2, to: 3) == .rotated(family: family))
    #expect(rotate(9, to: 4) == .refused(.unknown))
  }

  @Test func aRepeatedRefreshGetsTheSameSuccessorWithinTheGrace() {
    let family = begin()
    #expect(rotate(1, to: 2) == .rotated(family: family))
    #expect(rotate(1, to: 3, after: 30_000) == .rotatedBefore(family: family, answer: [2]))
    #expect(rotate(3, to: 4, after: 30_000) == .refused(.unknown))
    #expect(rotate(2, to: 5, after: 30_000) == .rotated(family: family))
  }

  @Test func aReplayAfterTheGraceEndsTheFamily() {
    let family = begin()
    #expect(rotate(1, to: 2) == .rotated(family: family))
    #expect(check(family) == .changed(0))
    #expect(rotate(1, to: 3, after: 30_001) == .refused(.replayed))
    #expect(rotate(2, to: 4, after: 30_002) == .refused(.revoked))
    #expect(check(family) == .refused(.revoked))
  }

  @Test func anOlderTokenIsAReplayEvenWithinTheGrace() {
    _ = begin()
    _ = rotate(1, to: 2)
    _ = rotate(2, to: 3)
    #expect(rotate(1, to: 4) == .refused(.replayed))
  }

  @Test func aFamilyExpires() {
    _ = begin()
    #expect(rotate(1, to: 2, after: Sample.day) == .refused(.expired))
  }

  @Test func anAccessTokenIsOfItsDeviceAndItsFamily() {
    let family = begin()
    #expect(check(family) == .changed(0))
    #expect(check(family, by: Sample.device(2)) == .refused(.wrongDevice))
    #expect(check(family + 1) == .refused(.unknown))
  }

  @Test func expiringRefusesAccessTokensUntilTheNextRefresh() {
    let family = begin()
    #expect(store.apply(.expireTokens(.device(device))) == .changed(1))
    #expect(check(family, issued: 0) == .refused(.expired))
    #expect(rotate(1, to: 2, after: 1) == .rotated(family: family))
    #expect(check(family, issued: 1) == .changed(0))
  }

  @Test(arguments: [TokenSelection.all, .run(""), .device(Sample.device(1)), .family(1)])
  func revokingReachesTheSelected(selection: TokenSelection) {
    let family = begin()
    #expect(store.apply(.revokeTokens(selection)) == .changed(1))
    #expect(check(family) == .refused(.revoked))
    #expect(rotate(1, to: 2) == .refused(.revoked))
  }

  @Test func aRefusedBatchLeavesNothing() throws {
    var batch = Sample.batch([1])
    batch.credential = TokenCredential(family: 5, issuedAt: Sample.noon)
    #expect(store.apply(.ingest(batch)) == .refused(.unknown))
    #expect(try store.open().counts().devices == 0)
  }
}
