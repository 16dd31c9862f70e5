import Base
import Contract
import Database
import Engine
import Testing
import Upload
import Vocabulary

@testable import Host
@testable import Queue

/// A store that gives out: what fails is logged, nothing is half done, and the device goes on when the store does.
@Suite struct StoreFailureTests {
  /// A device that keeps each record at once; it is on its way, and its server says 200.
  private func device(_ keys: String = "", commits: QueueDatabase.Commits = .everyCall) throws -> TestHost {
    let device = try TestHost(database: QueueDatabase(path: ":memory:", commits: commits))
    try device.ready("{\"url\":\"http://server.example/locations\",\"heartbeatInterval\":-1,\"logLevel\":5\(keys)}")
    try device.startMoving()
    return device
  }

  private func errors(_ device: TestHost) -> Int {
    device.phone.entries.count { if case .error = $0 { true } else { false } }
  }

  private func inserted(_ device: TestHost) -> [UUID128] {
    device.phone.entries.compactMap { if case .inserted(let uuid, _, _, _) = $0 { uuid } else { nil } }
  }

  @Test func aFullDiskLosesTheRecordsThatDoNotFitAndNoOthers() throws {
    let device = try device(#","autoSync":false"#)
    try device.drive(3)
    let pages = Int(try device.database.connection.integer("PRAGMA page_count"))
    try device.database.connection.apply(.maximumPageCount(pages))
    try device.drive(60)
    #expect(errors(device) > 20)
    let kept = try device.rows()
    #expect(kept.map(\.uuid) == inserted(device))
    try device.relaunch()
    try device.ready(#"{"reset":false}"#)
    #expect(try Array(device.rows().prefix(kept.count)) == kept)

    try device.database.connection.apply(.maximumPageCount(10_000))
    let before = device.host.queue.count
    try device.drive(5)
    #expect(device.host.queue.count == before + 5)
    #expect(try device.rows().prefix(kept.count).map(\.uuid) == kept.map(\.uuid))
    try device.sync(1)
    #expect(device.host.queue.count == 0)
    #expect(device.sent.count == before + 5)
  }

  @Test func aDiskThatIsFullForAWhileCostsAFleetItsGroup() throws {
    let device = try device(#","autoSync":false"#, commits: .grouped)
    try device.drive(3)
    try device.database.commit()
    let kept = try device.rows()
    try device.database.connection.execute(Self.refusal(of: "INSERT", named: "t"))
    try device.database.commit()
    try device.drive(5)
    #expect(throws: DatabaseError.self) { try device.database.commit() }
    #expect(try device.rows() == kept)
    try device.database.connection.execute("DROP TRIGGER t")
    try device.drive(5)
    try device.database.commit()
    #expect(device.host.queue.count == kept.count + 5)
  }

  /// A location is uploaded as soon as it is written (HttpConfig `autoSync`; SDK §8.5): one that is not begins no upload.
  @Test(arguments: [false, true])
  func aRecordThatIsNotWrittenBeginsNoUpload(isOfApp: Bool) throws {
    let device = try device()
    device.server = { _ in .status(500) }
    try device.drive(3)
    try device.database.connection.execute(Self.refusal(of: "INSERT", named: "t"))
    let before = device.sent.count
    if isOfApp {
      try device.modify { $0.insert(UUID128(high: 1, low: 1), $1.wall, rendered: Array("{}".utf8), at: $1) }
    } else {
      try device.drive(2)
    }
    #expect(errors(device) > 0 && device.sent.count == before)
    try device.database.connection.execute("DROP TRIGGER t")
    try device.drive(1)
    #expect(device.sent.count == before + 1)
  }

  @Test(arguments: [false, true])
  func rowsThatCannotBeReadStayUntilTheyCan(isBatch: Bool) throws {
    let device = try device(",\"autoSync\":false,\"batchSync\":\(isBatch)")
    try device.drive(4)
    let count = device.host.queue.count
    try device.database.connection.execute("ALTER TABLE records RENAME TO hidden")
    try device.sync(1)
    #expect(device.syncs == [.failure(.store)])
    #expect(device.sent.isEmpty && !device.host.uploader.isBusy)
    #expect(device.host.queue.count == count)
    #expect(errors(device) == 1)

    try device.database.connection.execute("ALTER TABLE hidden RENAME TO records")
    try device.sync(2)
    #expect(device.host.queue.count == 0)
    #expect(device.sent.count == (isBatch ? 1 : count))
  }

  @Test(arguments: [false, true])
  func rowsThatCannotBeDeletedAfterTheAnswerGoAgainAndAreStoredOnce(isBatch: Bool) throws {
    let server = try LocalServer()
    let device = try device(
      ",\"batchSync\":\(isBatch),\"headers\":{\"X-Device-Id\":\"phone\"},"
        + "\"autoSync\":false")
    device.server = { [unowned device] in try server.answer($0, at: device.now) }
    try device.drive(4)
    let count = device.host.queue.count
    try device.database.connection.execute(Self.refusal(of: "DELETE", named: "t"))
    try device.sync(1)
    #expect(device.syncs == [.failure(.store)])
    #expect(device.httpStatuses == [200], "the app is told what the server said")
    #expect(!device.host.uploader.isBusy)
    #expect(device.host.queue.count == count)
    #expect(try device.rows().count == count, "none of the batch is gone")
    #expect(device.phone.entries.allSatisfy { if case .destroyed = $0 { false } else { true } })

    try device.database.connection.execute("DROP TRIGGER t")
    try device.sync(2)
    #expect(device.sent[1].body == device.sent[0].body)
    #expect(device.host.queue.count == 0)
    #expect(try server.count(of: "phone") == count)
  }

  @Test func whatCannotBeEvictedGoesWithTheNextRecord() throws {
    let device = try device(#","autoSync":false,"maxRecordsToPersist":3"#)
    try device.drive(5)
    #expect(device.host.queue.count == 3)
    try device.database.connection.execute(Self.refusal(of: "DELETE", named: "t"))
    let before = device.phone.events.count
    try device.drive(2)
    #expect(device.host.queue.count == 5)
    #expect(!device.phone.events.dropFirst(before).contains { if case .discarded = $0 { true } else { false } })
    try device.database.connection.execute("DROP TRIGGER t")
    try device.drive(1)
    #expect(device.host.queue.count == 3)
    #expect(try device.rows().map(\.uuid) == inserted(device).suffix(3))
  }

  private static func refusal(of action: String, named name: String) -> String {
    "CREATE TEMP TRIGGER \(name) BEFORE \(action) ON main.records BEGIN SELECT RAISE(ABORT, 'refused'); END"
  }
}
