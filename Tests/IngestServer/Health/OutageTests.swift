import Base
import Glibc
import ServerSupport
import Store
import Support
import Synchronization
import Testing

@testable import IngestServer

/// What whoever runs a server is told, by its probes and by its notices.
@Suite struct OutageTests {
  private final class Notices: Sendable {
    let list = Mutex<[String]>([])

    func add(_ notice: ServerNotice) { list.withLock { $0.append(notice.message) } }

    var all: [String] { list.withLock { $0 } }
  }

  private func server(_ folder: String, _ notices: Notices = Notices()) throws -> IngestServer {
    try IngestServer(.loopback(data: folder, loops: 1), notify: { notices.add($0) })
  }

  private func ask(_ server: IngestServer, _ path: String, body: String? = nil) throws -> String {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes(body == nil ? "GET" : "POST", path, [("Connection", "close")], body: body))
    return try client.receiveToEnd().text
  }

  @Test func noticesCountInWords() {
    let cases: [(ServerNotice, String)] = [
      (.evictedFromQuarantine(1), "deleted 1 quarantined record to make room"),
      (.evictedFromQuarantine(2_000), "deleted 2,000 quarantined records to make room"),
      (.sink("a", .lost(1)), "--retain-size deleted 1 record not yet forwarded to 'a'"),
      (.sink("a", .resumed(after: .seconds(30), lag: 1)), "'a' accepts records again after 30 s; 1 record waiting"),
      (.issuerKeys(.renewed(from: "k", count: 1)), "k was read: 1 key of the foreign issuer"),
      (.outage(.ended(.full, lasted: .seconds(3), refused: 1), detail: nil), "records are stored again; for 3 s"),
    ]
    for (notice, words) in cases { #expect(notice.message.hasPrefix(words)) }
    #expect(cases.last?.0.message.hasSuffix("with 1 request refused") == true)
  }

  /// Of a folder, the store without its key, and the key without its store, are each told.
  @Test(arguments: [("token.key", "a new key was created"), ("store.db", "an empty store was created")])
  func whatAFolderHasLostIsTold(file: String, words: String) throws {
    let folder = try TemporaryFolder()
    let first = Notices()
    try server(folder.path, first).stop()
    #expect(first.all == [])
    #expect(unsafe unlink(folder.file(file)) == 0)
    let later = Notices()
    try server(folder.path, later).stop()
    #expect(later.all.count == 1 && later.all[0].contains("\(file) is missing") && later.all[0].contains(words))
  }

  @Test func aDamagedStoreIsNotReadyAndToldOnce() throws {
    let folder = try TemporaryFolder()
    let first = try server(folder.path)
    #expect(try ask(first, "/locations/a", body: Uploads.batch(0..<50)).hasPrefix("HTTP/1.1 200"))
    first.stop()
    let descriptor = unsafe open(folder.file("store.db"), O_WRONLY | O_CLOEXEC)
    let bytes = [UInt8](repeating: 0xA5, count: 4_096)
    #expect(unsafe pwrite(descriptor, bytes, bytes.count, 8_192) == bytes.count)
    close(descriptor)

    let notices = Notices()
    let server = try server(folder.path, notices)
    for number in 0..<20 {
      let answer = try ask(server, "/locations/a", body: Uploads.record(number))
      #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("data_damaged"))
      let ready = try ask(server, "/readyz")
      #expect(ready.hasPrefix("HTTP/1.1 503") && ready.contains("the data file is damaged"))
    }
    server.stop()
    #expect(
      notices.all.count == 1 && notices.all[0].contains("the store cannot accept records: the data file is damaged"))
  }

  /// What a question meets holds for uploads, too.
  @Test func damageThatAQuestionMeetsIsAnOutage() throws {
    let folder = try TemporaryFolder()
    let first = try server(folder.path)
    #expect(try ask(first, "/locations/a", body: Uploads.batch(0..<50)).hasPrefix("HTTP/1.1 200"))
    first.stop()
    let notices = Notices()
    let server = try server(folder.path, notices)
    // The writer has looked at all pages at its start; those who answer questions have not.
    let descriptor = unsafe open(folder.file("store.db"), O_RDWR | O_CLOEXEC)
    let end = lseek(descriptor, 0, SEEK_END)
    let bytes = [UInt8](repeating: 0xA5, count: Int(end) - 8_192)
    #expect(unsafe pwrite(descriptor, bytes, bytes.count, 8_192) == bytes.count)
    close(descriptor)
    #expect(try ask(server, "/readyz").hasPrefix("HTTP/1.1 200"))
    #expect(try ask(server, "/admin/v1/devices/a/locations").contains("data_damaged"))
    var ready = ""
    for _ in 0..<10_000 where !ready.hasPrefix("HTTP/1.1 503") { ready = try ask(server, "/readyz") }
    #expect(ready.contains("the data file is damaged"))
    #expect(try ask(server, "/locations/a", body: Uploads.record(99)).contains("data_damaged"))
    server.stop()
    #expect(notices.all.count == 1 && notices.all[0].contains("the data file is damaged"), "\(notices.all)")
  }

  @Test func aJournalThatIsNoneIsPutAside() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(repeating: 0x5A, count: 20_000), to: "journal.db")
    let notices = Notices()
    let server = try server(folder.path, notices)
    #expect(try ask(server, "/locations/a", body: Uploads.record(1)).hasPrefix("HTTP/1.1 200"))
    #expect(try ask(server, "/admin/v1/requests").hasPrefix("HTTP/1.1 200"))
    server.stop()
    #expect(notices.all.count == 1 && notices.all[0].contains("journal.db.damaged"), "\(notices.all)")
    #expect(try folder.read("journal.db.damaged").count == 20_000)
  }

  @Test(arguments: [true, false]) func aStoreThatIsGoneBesideItsKeyIsTold(isEmpty: Bool) throws {
    let folder = try TemporaryFolder()
    try server(folder.path).stop()
    for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(folder.file("store.db" + suffix)) }
    if isEmpty { try folder.write([], to: "store.db") }
    let notices = Notices()
    try server(folder.path, notices).stop()
    #expect(notices.all.count == 1 && notices.all[0].contains(isEmpty ? "is empty" : "is missing"), "\(notices.all)")
    let again = Notices()
    try server(folder.path, again).stop()
    #expect(again.all == [])
  }

  @Test func aPortThatIsTakenLeavesNoFolderBehind() throws {
    let folder = try TemporaryFolder()
    let server = try server(":memory:")
    defer { server.stop() }
    var configuration = ServerConfiguration()
    configuration.listen = "127.0.0.1:\(server.port)"
    configuration.data = folder.file("new")
    #expect { _ = try IngestServer(configuration) } throws: { error in
      (error as? ServerError)?.description.contains("port 0 picks a free one") == true
    }
    #expect(unsafe access(configuration.data, F_OK) != 0)
  }
}
