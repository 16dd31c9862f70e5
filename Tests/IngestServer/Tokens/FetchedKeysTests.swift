import Base
import ServerSupport
import Support
import Synchronization
import Testing
import Threads

@testable import IngestServer

/// Key sets that another server has.
@Suite(.timeLimit(.minutes(10))) struct FetchedKeysTests {
  private let forge = TokenForge(.es256)
  private let next = TokenForge(.es256, name: "key-2")

  private func set(_ forges: TokenForge...) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: Array(TokenForge.set(forges.map { $0.entry() }).utf8))
  }

  private func name(_ lookup: JSONWebKeySet.Lookup?) -> String {
    switch lookup {
    case nil: "pending"
    case .found?: "found"
    case .otherAlgorithm?: "other"
    case .absent?: "absent"
    }
  }

  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

  @Test func aSetIsFetchedAtOnceAndThenSeldom() throws {
    var account = KeySetAccount()
    #expect(name(account.find("key-1", for: .es256)) == "pending")
    #expect(account.due(at(100)) == at(100))
    account.fetched(try set(forge), at: at(100))
    #expect(name(account.find("key-1", for: .es256)) == "found")
    #expect(account.due(at(101)) == at(700))
  }

  @Test func anUnknownNameIsLookedForOnceInAnInterval() throws {
    var account = KeySetAccount()
    account.fetched(try set(forge), at: at(100))
    #expect(name(account.find("key-2", for: .es256)) == "pending")
    #expect(account.due(at(101)) == at(110))
    #expect(name(account.find("key-2", for: .es256)) == "pending")
    // It was not there: from now on it is refused, and looked for again at the next fetch.
    account.fetched(try set(forge), at: at(110))
    #expect(name(account.find("key-2", for: .es256)) == "absent")
    #expect(account.due(at(111)) == at(120))
    account.fetched(try set(forge), at: at(120))
    #expect(name(account.find("key-2", for: .es256)) == "absent")
    account.fetched(try set(forge, next), at: at(130))
    #expect(name(account.find("key-2", for: .es256)) == "found")
  }

  @Test func aFailedFetchLeavesTheKeysAndTheQuestion() throws {
    var account = KeySetAccount()
    account.fetched(nil, at: at(100))
    #expect(name(account.find("key-1", for: .es256)) == "pending")
    #expect(account.due(at(100)) == at(110))
    account.fetched(try set(forge), at: at(110))
    account.fetched(nil, at: at(710))
    #expect(name(account.find("key-1", for: .es256)) == "found")
    #expect(name(account.find("key-2", for: .es256)) == "pending")
    account.fetched(nil, at: at(720))
    #expect(name(account.find("key-2", for: .es256)) == "pending")
    #expect(account.due(at(721)) == at(730))
  }

  /// Invented names cost neither memory nor requests, nor a phone with a key that the set does not have yet its tokens.
  @Test func inventedNamesAreBounded() throws {
    var account = KeySetAccount()
    account.fetched(try set(forge), at: at(100))
    for number in 0..<2_000 { #expect(name(account.find("x\(number)", for: .es256)) == "pending") }
    #expect(account.due(at(101)) == at(110))
    #expect(name(account.find("key-1", for: .es256)) == "found")
    #expect(name(account.find("key-1", for: .rs256)) == "other")
    #expect(name(account.find("key-2", for: .es256)) == "pending")
    account.fetched(try set(forge), at: at(110))
    let absent = (0..<2_000).count { name(account.find("x\($0)", for: .es256)) == "absent" }
    #expect(absent == KeySetAccount.namesMax, "no more are remembered")
  }

  /// While the keys are not there yet, nothing is refused: a phone keeps its records and its tokens.
  @Test func aServerSays503UntilItHasTheKeys() throws {
    let text = Array(TokenForge.set([forge.entry()]).utf8)
    let (isAllowed, hasKeys) = (Semaphore(), Semaphore())
    let hasFailed = Atomic(false)
    var configuration = ServerConfiguration.loopback(loops: 1)
    configuration.authentication = .required
    configuration.foreignIssuer = ForeignIssuerSettings(
      .fetched(name: "the test") { () throws(KeyFetchError) in
        isAllowed.wait()
        if !hasFailed.exchange(true, ordering: .relaxed) { throw KeyFetchError("the issuer is down") }
        return text
      })
    let notices = Mutex<[String]>([])
    let server = try IngestServer(configuration) { notice in
      notices.withLock { $0.append(notice.message) }
      hasKeys.signal()
    }
    // What waits for the test ends before the server does.
    defer {
      isAllowed.signal()
      server.stop()
    }
    let token = forge.token(#"{"sub":"phone-1","exp":4102444800}"#)
    let first = try upload(token, to: server)
    #expect(first.contains("HTTP/1.1 503") && first.contains("keys_unavailable") && first.contains("Retry-After: 1"))
    isAllowed.signal()
    hasKeys.wait()
    #expect(notices.withLock { $0 }.first?.contains("cannot be read from the test") == true)
    #expect(try upload(token, to: server).contains("HTTP/1.1 503"))
  }

  @Test func aFetchedKeyServesAndAStrangerIsRefused() throws {
    let text = Array(TokenForge.set([forge.entry()]).utf8)
    let hasKeys = Semaphore()
    let keys = FetchedKeys(from: "the test", notify: { _ in hasKeys.signal() }) { () throws(KeyFetchError) in text }
    defer { keys.stop() }
    hasKeys.wait()
    #expect(name(keys.find("key-1", for: .es256)) == "found")
    #expect(name(keys.find("key-2", for: .es256)) == "pending")
  }

  private func upload(_ token: String, to server: IngestServer) throws -> String {
    let body = Uploads.record(1)
    let client = try LoopbackClient(port: server.port)
    try client.send(
      "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try client.receiveToEnd().text
  }
}
