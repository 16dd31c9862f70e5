import Base
import Contract
import Database
import JSON
import PostgresStore
import ServerSupport
import Store
import Support
import Synchronization
import Testing
import Threads

@testable import IngestServer

/// Rings that servers keep in one real PostgreSQL.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct SharedKeysTests {
  private let start = WallInstant(millisecondsSince1970: 1_800_000_000_000)
  private let place: String

  init() throws {
    place = try PostgresCluster.shared.get().place()
    // Makes the tables.
    try PostgresStore(at: place, StoreConfiguration(folder: "")).close()
  }

  private var secret: SharedSecret { SharedSecret(KeyRing.documentName, at: place) }

  private func at(_ seconds: Int64) -> WallInstant { start.advanced(byMilliseconds: seconds * 1_000) }

  private func ring(_ algorithm: SignatureAlgorithm = .es256) throws -> KeyRing {
    try KeyRing(algorithm, keep: .seconds(300), interval: .seconds(3_600), at: start, in: .database(secret))
  }

  private func names(_ ring: KeyRing) -> [String] { names(ring.publicSet(at: start)) }

  private func names(_ set: JSONValue) -> [String] {
    guard case .array(let keys)? = set["keys"] else { return [] }
    return keys.compactMap { if case .string(let name)? = $0["kid"] { name } else { nil } }
  }

  private func refreshed(_ ring: KeyRing) -> [String] {
    ring.refresh(since: SystemClock().monotonicNow)
    return names(ring)
  }

  private func verify(_ ring: KeyRing, _ text: String) throws -> JSONValue? {
    try ring.verify(SignedToken(parsing: Array(text.utf8)))
  }

  /// Does it on threads that begin together.
  private func atOnce<Result: Sendable>(_ count: Int, _ work: @escaping @Sendable () throws -> Result) -> [Result] {
    let results = Mutex<[Result]>([])
    let (isReady, begins) = (Semaphore(), Semaphore())
    let threads = (0..<count).map { number in
      NamedThread.started("node-\(number)") {
        isReady.signal()
        begins.wait()
        do {
          let result = try work()
          results.withLock { $0.append(result) }
        } catch { Issue.record("\(error)") }
      }
    }
    for _ in threads { isReady.wait() }
    for _ in threads { begins.signal() }
    for thread in threads { thread.join() }
    return results.withLock { $0 }
  }

  @Test func ringsThatBeginTogetherAreOne() throws {
    let rings = atOnce(4) { try ring() }
    #expect(Set(rings.map(names)).count == 1 && names(rings[0]).count == 1)
    for ring in rings { #expect(try verify(rings[0], ring.sign(["a": .integer(1)], at: start)) != nil) }
    #expect(try names(ring()) == names(rings[0]))
  }

  @Test func rotationsAtOnceEndWithOneRingAndLoseNoKey() throws {
    let first = try ring()
    let tokens = atOnce(3) {
      let ring = try ring()
      var tokens: [(KeyRing, String)] = []
      for step in 1...Int64(5) {
        _ = try ring.rotate(at: at(step))
        tokens.append((ring, ring.sign(["step": .integer(step)], at: at(step))))
      }
      return tokens
    }
    let known = refreshed(first)
    #expect(known.count == 16 && Set(known).count == 16)
    for (ring, token) in tokens.joined() {
      #expect(refreshed(ring) == known)
      #expect(try verify(first, token) != nil)
    }
    // A rotation forgets what no token needs any more.
    #expect(try first.rotate(at: at(400)) == 2)
  }

  @Test func aKeyThatIsNotKnownYetIsLookedFor() throws {
    let (here, there) = (try ring(), try ring())
    _ = try here.rotate(at: at(1))
    let token = here.sign(["a": .integer(1)], at: at(2))
    let name = try #require(names(here).first)
    #expect(throws: AccessTokenError.keyNotSeen(name)) { try verify(there, token) }
    there.looking(for: name)()
    #expect(try verify(there, token)?["a"] == .integer(1))
    // A name that no server has made is looked for once.
    let stranger = TokenForge(.es256, name: String(repeating: "A", count: KeyList.nameLength))
    #expect(throws: AccessTokenError.keyNotSeen(stranger.name ?? "")) { try verify(there, stranger.token("{}")) }
    there.looking(for: stranger.name ?? "")()
    #expect(try verify(there, stranger.token("{}")) == nil)
    #expect(try verify(there, TokenForge(.es256, name: "key-1").token("{}")) == nil, "a name that no ring gives")
    let forged = TokenForge(.es256, name: name)
    #expect(throws: AccessTokenError.wrongSignature) { try verify(there, forged.token("{}")) }
  }

  @Test func strangersHaveABudget() {
    var budget = KeyLookupLimit()
    var now = MonotonicInstant(nanoseconds: 1)
    func allowed(_ count: Int) -> Int { (0..<count).count { _ in budget.allows(now) } }
    #expect(allowed(20) == 10)
    now = now + .milliseconds(199)
    #expect(allowed(1) == 0)
    now = now + .milliseconds(1)
    #expect(allowed(2) == 1)
    now = now + .seconds(3_600)
    #expect(allowed(20) == 10)
  }

  @Test func namesOfStrangersBeyondTheBudgetStayOpen() throws {
    let ring = try ring()
    let tokens = (0..<256).map { number in
      let digits = String(number + 1_000)
      return TokenForge(.es256, name: digits + String(repeating: "A", count: KeyList.nameLength - digits.count))
    }
    let areOpen = tokens.map { token in
      ring.looking(for: token.name ?? "")()
      return isOpen(token.name, ring, token.token("{}"))
    }
    #expect(areOpen.prefix(10).allSatisfy { !$0 })
    #expect(areOpen.contains(true), "no database is asked so often within the credit of two seconds")
  }

  /// It is not known whether there is such a key.
  private func isOpen(_ name: String?, _ ring: KeyRing, _ text: String) -> Bool {
    do throws(AccessTokenError) {
      _ = try ring.verify(SignedToken(parsing: Array(text.utf8)))
      return false
    } catch {
      return error == .keyNotSeen(name ?? "")
    }
  }

  @Test func anIntervalRotatesOnceForAllServers() throws {
    let (here, there) = (try ring(), try ring())
    let before = try secret.read()
    try here.follow(at: at(3_599)) { () throws(StoreError) in try secret.read() }
    #expect(names(here).count == 1)
    try here.follow(at: at(3_600)) { () throws(StoreError) in try secret.read() }
    #expect(names(here).count == 2)
    // It has not heard of that when its own time comes.
    try there.follow(at: at(3_600)) { before }
    #expect(names(there) == names(here) && refreshed(here) == names(there))
    // No request rotates by itself: it would wait for the database.
    _ = there.sign([:], at: at(10_000))
    #expect(names(there.publicSet(at: at(3_700))).count == 2)
  }

  @Test func aDatabaseThatIsAwayMakesNoTokenInvalid() throws {
    let ring = try ring()
    let token = ring.sign(["a": .integer(1)], at: start)
    let (known, stranger) = (names(ring), TokenForge(.es256, name: String(repeating: "A", count: KeyList.nameLength)))
    let schema = try #require(place.split(separator: "D").last)
    try PostgresConnection(to: place, writes: true).run("ALTER SCHEMA \(schema) RENAME TO \(schema)_away")
    #expect(throws: StoreError.self) { try ring.rotate(at: at(1)) }
    #expect(throws: StoreError.self) {
      try ring.follow(at: at(3_600)) { () throws(StoreError) in try secret.read() }
    }
    ring.looking(for: stranger.name ?? "")()
    #expect(throws: AccessTokenError.keyNotSeen(stranger.name ?? "")) { try verify(ring, stranger.token("{}")) }
    #expect(refreshed(ring) == known)
    #expect(try verify(ring, token) != nil && verify(ring, ring.sign([:], at: at(5_000))) != nil)
    try PostgresConnection(to: place, writes: true).run("ALTER SCHEMA \(schema)_away RENAME TO \(schema)")
    #expect(try ring.rotate(at: at(2)) == 2)
  }

  @Test func serversOfTwoProvidersLeaveEachOthersKeys() throws {
    let (own, keycloak) = (try ring(.es256), try ring(.rs256))
    let token = own.sign(["a": .integer(1)], at: start)
    _ = try keycloak.rotate(at: at(1))
    #expect(refreshed(own).count == 3 && refreshed(keycloak) == names(own))
    #expect(try SignedToken(parsing: Array(own.sign([:], at: at(2)).utf8)).algorithm == "ES256")
    #expect(try verify(keycloak, token) != nil)
  }

  @Test func aDocumentThatCannotBeReadStopsTheStartAndNothingElse() throws {
    let ring = try ring()
    let before = try secret.read()
    #expect(try secret.replace(before, by: Array("{}".utf8)))
    #expect(throws: ServerError.self) { _ = try self.ring() }
    let known = names(ring)
    try ring.follow(at: start) { () throws(StoreError) in try secret.read() }
    #expect(refreshed(ring) == known)
  }

  /// Two servers over sockets, of which one does not hear of the other's rotation before the token comes.
  @Test func anUploadWaitsForTheKeyOfItsToken() throws {
    var configuration = ServerConfiguration.loopback(data: place, loops: 1)
    configuration.identity = IdentitySettings(.own)
    configuration.authentication = .required
    let (here, there) = (try IngestServer(configuration), try IngestServer(configuration))
    defer { for server in [here, there] { server.stop() } }
    for number in 0..<6 {
      #expect(try ask(here, "POST", "/admin/v1/tokens/rotate-keys").contains(#"{"keys":\#(number + 2)}"#))
      let token = try logIn(here, "phone")
      let answer = try upload(there, number, token)
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }
    let stranger = TokenForge(.es256, name: String(repeating: "A", count: KeyList.nameLength))
    #expect(try upload(there, 9, stranger.token("{}")).hasPrefix("HTTP/1.1 401"))
    let schema = try #require(place.split(separator: "D").last)
    try PostgresConnection(to: place, writes: true).run("ALTER SCHEMA \(schema) RENAME TO \(schema)_away")
    let other = TokenForge(.es256, name: String(repeating: "B", count: KeyList.nameLength))
    let refused = try upload(there, 9, other.token("{}"))
    #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("keys_unavailable"), "\(refused)")
    try PostgresConnection(to: place, writes: true).run("ALTER SCHEMA \(schema)_away RENAME TO \(schema)")
  }

  private func logIn(_ server: IngestServer, _ device: String) throws -> String {
    let registration = #"{"org":"acme","uuid":"\#(device)","model":"m","manufacturer":"f","version":"15"}"#
    let answer = try ask(server, "POST", "/api/register", registration)
    let found = try #require(answer.split(separator: "\"accessToken\":\"").last?.prefix { $0 != "\"" })
    return String(found)
  }

  private func upload(_ server: IngestServer, _ number: Int, _ token: String) throws -> String {
    try ask(server, "POST", "/locations", #"{"location":{"uuid":"\#(number)"}}"#, token)
  }

  private func ask(
    _ server: IngestServer, _ method: String, _ path: String, _ body: String = "", _ token: String? = nil
  ) throws -> String {
    let client = try LoopbackClient(port: server.port)
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try client.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(authorization)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try client.receiveToEnd().text
  }
}
