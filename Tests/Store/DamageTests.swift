import Base
import Database
import Glibc
import Store
import Support
import Testing

/// A file of which a page was overwritten.
@Suite struct DamageTests {
  /// A folder with records of some devices, and the second page of its store gone.
  private func damagedFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
    for device in 0..<20 { _ = store.ingest(Sample.batch(Sample.device(device), Array(0..<20))) }
    store.settle()
    store.close()
    try overwrite(folder.file("store.db"), at: 8_192, count: 4_096)
    return folder
  }

  private func overwrite(_ path: String, at offset: Int, count: Int) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    defer { _ = close(descriptor) }
    let bytes = [UInt8](repeating: 0xA5, count: count)
    let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
    try #require(written == count)
  }

  @Test func aSmallStoreIsCheckedAtItsStart() throws {
    let folder = try damagedFolder()
    let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
    #expect(store.outage == .damaged)
    #expect(store.apply(.ingest(Sample.batch([99]))) == .unavailable(.damaged))
  }

  /// A probe of the disk would succeed: it touches none of the damaged pages.
  @Test func damageThatIsMetStaysUntilTheNextStart() throws {
    let folder = try damagedFolder()
    var configuration = StoreConfiguration(folder: folder.path)
    configuration.limits.checkedBytes = 0
    let store = try SQLiteStore(configuration)
    #expect(store.outage == nil)
    #expect(store.apply(.ingest(Sample.batch(Sample.device(1), [99]))) == .unavailable(.damaged))
    store.settle()
    #expect(store.outage == .damaged)
    #expect(store.apply(.read { _ in }) == .unavailable(.damaged), "nothing more is tried")
    #expect(store.outage == .damaged)
  }

  /// No version has written such an order.
  @Test func anOrderOfAnUnknownKindIsDamage() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
      let expiry = Sample.noon.advanced(byMilliseconds: 60_000)
      _ = store.apply(.queue(QueuedCommand(target: .everyone(run: ""), command: Array("[]".utf8), expiresAt: expiry)))
      store.settle()
      store.close()
    }
    let reader = try SQLiteReader(folder: folder.path)
    do { try Connection(path: folder.file("store.db")).execute("UPDATE orders SET kind = 3") }
    let refusal = try #require(throws: StoreError.self) {
      _ = try reader.commands(run: "", device: nil, now: Sample.noon, after: nil, limit: 10)
    }
    #expect(refusal.message.contains("is damaged"), "\(refusal.message)")
    let start = try #require(throws: StoreError.self) { try SQLiteStore(StoreConfiguration(folder: folder.path)) }
    #expect(start.message.contains("is damaged"), "\(start.message)")
  }

  @Test func errorsShowNoStatements() throws {
    let folder = try damagedFolder()
    let reader = try SQLiteReader(folder: folder.path)
    #expect {
      _ = try reader.devices(limit: 100)
    } throws: { error in
      let message = (error as? StoreError)?.message ?? ""
      return message.contains("damaged") && message.contains("restore a backup") && !message.contains("SELECT")
    }
  }
}

/// What is told of an outage, and how often.
@Suite struct OutageAccountTests {
  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

  @Test func aBeginningAndAnEndAreToldOnceWithTheCount() {
    var account = OutageAccount()
    #expect(account.note(nil, refused: 0, now: at(0)) == [])
    #expect(account.note(.full, refused: 3, now: at(100)) == [.began(.full)])
    for second in 101..<400 { #expect(account.note(.full, refused: 1, now: at(Int64(second))) == []) }
    #expect(account.note(nil, refused: 0, now: at(400)) == [.ended(.full, lasted: .seconds(300), refused: 302)])
  }

  @Test func oneThatBecomesAnotherEnds() {
    var account = OutageAccount()
    #expect(account.note(.full, refused: 1, now: at(100)) == [.began(.full)])
    #expect(
      account.note(.damaged, refused: 1, now: at(200))
        == [.ended(.full, lasted: .seconds(100), refused: 2), .began(.damaged)])
  }

  @Test func whatComesAndGoesQuicklyIsToldOnceInTenSeconds() {
    var account = OutageAccount()
    var told = 0
    for second in 0..<100 {
      told += account.note(.full, refused: 1, now: at(Int64(second))).count
      told += account.note(nil, refused: 0, now: at(Int64(second))).count
    }
    #expect(told == 20)
  }

  @Test func oneThatBeginsTooSoonIsToldWhenItLasts() {
    var account = OutageAccount()
    #expect(account.note(.full, refused: 1, now: at(100)) == [.began(.full)])
    #expect(account.note(nil, refused: 0, now: at(101)) == [.ended(.full, lasted: .seconds(1), refused: 1)])
    #expect(account.note(.full, refused: 1, now: at(105)) == [])
    #expect(account.note(.full, refused: 1, now: at(110)) == [.began(.full)])
    #expect(account.note(nil, refused: 0, now: at(125)) == [.ended(.full, lasted: .seconds(20), refused: 2)])
  }
}
