import Base
import Database
import Glibc
import PostgresStore
import Store
import Support
import Synchronization
import Testing
import Threads

/// What can happen to a database server, made to happen: what was acknowledged is there, and the store comes back by itself.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct PostgresOutageTests {
  /// These tests stop their server.
  private static let own = Result { try PostgresCluster(settings: ["max_connections = 12"]) }

  private let cluster: PostgresCluster
  private let place: String

  init() throws {
    cluster = try Self.own.get()
    place = cluster.place()
  }

  private func store(_ change: (inout StoreLimits) -> Void = { _ in }) throws -> PostgresStore {
    var configuration = StoreConfiguration(folder: "")
    change(&configuration.limits)
    return try PostgresStore(at: place + "&application_name=writer", configuration)
  }

  private func reader() throws -> PostgresConnection { try PostgresConnection(to: place) }

  private func number(_ sql: String) throws -> Int64 { try reader().perform("SELECT (\(sql))::int8").integer(0, 0) }

  private func upload(_ numbers: Int..., into store: PostgresStore, now: WallInstant = Sample.noon) -> StoreResult {
    store.apply([.ingest(Sample.batch(numbers))], now: now)[0]
  }

  private func accepted(_ count: Int) -> StoreResult { .ingested(IngestReceipt(accepted: count)) }

  /// Upkeep until the store takes something again, each step later than the last. Its clock is the tests' own.
  private func recover(_ store: PostgresStore, from start: WallInstant = Sample.noon) {
    var now = start
    repeat {
      now = now.advanced(byMilliseconds: 2_000)
      _ = store.maintain(now: now)
    } while store.outage != nil
  }

  private static let writer = "pid FROM pg_stat_activity WHERE application_name = 'writer'"

  /// Applies a group. When its process at the server waits for this event, another thread does this, with `$1` for the process.
  private func apply(
    _ group: [StoreJob], to store: PostgresStore, whenItWaitsFor event: String, _ sql: String
  ) throws -> [StoreResult] {
    let isDone = Mutex(false)
    let place = place
    let observer = try NamedThread.opening("observer") { () throws(PostgresConnection.Failure) in
      try PostgresConnection(to: place)
    } run: { connection in
      do throws(PostgresConnection.Failure) {
        while !isDone.withLock({ $0 }) {
          let found = try connection.perform("SELECT \(Self.writer) AND wait_event = '\(event)'")
          guard found.count > 0 else { continue }
          var arguments = PostgresArguments()
          arguments.add(found.integer(0, 0))
          _ = try connection.perform(sql, arguments)
          return
        }
      } catch { Issue.record("\(error)") }
    }
    defer {
      isDone.withLock { $0 = true }
      observer.join()
    }
    return store.apply(group, now: Sample.noon)
  }

  @Test func aServerThatIsKilledAndComesBackHasWhatWasAcknowledged() throws {
    let store = try store()
    #expect(upload(1, 2, into: store) == accepted(2))
    try cluster.kill()
    // The server's other processes end when they notice.
    var next = 3
    while upload(next, into: store) == accepted(1) { next += 1 }
    #expect(store.outage == .unreachable)
    _ = store.maintain(now: Sample.noon.advanced(byMilliseconds: 60_000))
    #expect(store.outage == .unreachable, "nothing is there to come back to")
    try cluster.start()
    recover(store, from: Sample.noon.advanced(byMilliseconds: 60_000))
    #expect(upload(2, next, into: store) == .ingested(IngestReceipt(accepted: 1, duplicate: 1)))
    #expect(try number("SELECT count(*) FROM points") == Int64(next))
  }

  @Test func aServerThatWasStartedAnewIsNotNoticed() throws {
    let store = try store()
    #expect(upload(1, into: store) == accepted(1))
    try cluster.stop()
    try cluster.start()
    #expect(upload(2, into: store) == accepted(1))
    #expect(store.outage == nil)
  }

  @Test func aDatabaseThatTakesNoWritesIsWaitedFor() throws {
    let store = try store()
    let administrator = try reader()
    func setReadOnly(_ value: String) throws {
      try administrator.run("SET default_transaction_read_only = off; SET transaction_read_only = off")
      try administrator.run("ALTER SYSTEM SET default_transaction_read_only = \(value)")
      try cluster.reload()
    }
    try setReadOnly("on")
    var stored = 0
    // Each process of the server reads its configuration when it comes to it.
    while upload(stored, into: store) == accepted(1) { stored += 1 }
    #expect(store.outage == .unreachable)
    #expect(try number("SELECT count(*) FROM points") == Int64(stored))
    try setReadOnly("off")
    recover(store)
    #expect(upload(stored, into: store) == accepted(1))
  }

  /// The database can be reached, and takes whatever is no record.
  @Test(arguments: ["rights", "lock"]) func anOutageLastsAsLongAsRecordsCannotBeStored(cause: String) throws {
    let owner = try reader()
    let role = "phone_\(cause)"
    var configuration = StoreConfiguration(folder: "")
    configuration.limits.answerMilliseconds = 400
    try owner.run("CREATE ROLE \(role) LOGIN; GRANT CREATE ON DATABASE postgres TO \(role)")
    let store = try PostgresStore(at: place + "&user=\(role)", configuration)
    #expect(upload(1, into: store) == accepted(1))
    if cause == "rights" {
      try owner.run("REVOKE INSERT ON points FROM \(role)")
    } else {
      try owner.run("BEGIN; LOCK TABLE points IN ACCESS EXCLUSIVE MODE")
    }
    #expect(upload(2, into: store) == .unavailable(.unreachable))
    let words = cause == "rights" ? "permission denied for table points" : "canceling statement due to"
    #expect(store.outageDetail?.contains(words) == true, "\(store.outageDetail ?? "nothing")")
    for step in 1...3 {
      _ = store.maintain(now: Sample.noon.advanced(byMilliseconds: Int64(step) * 2_500))
      #expect(store.outage == .unreachable)
    }
    try owner.run(cause == "rights" ? "GRANT INSERT ON points TO \(role)" : "ROLLBACK")
    recover(store, from: Sample.noon.advanced(byMilliseconds: 10_000))
    #expect(upload(2, into: store) == accepted(1))
  }

  @Test func aStatementThatTakesTooLongEndsItsGroup() throws {
    let store = try store { $0.answerMilliseconds = 400 }
    #expect(upload(1, into: store) == accepted(1))
    let other = try reader()
    try other.run("BEGIN")
    _ = try other.perform("SELECT * FROM devices FOR UPDATE")
    #expect(upload(2, into: store) == .unavailable(.unreachable))
    try other.run("ROLLBACK")
    recover(store)
    #expect(upload(2, into: store) == accepted(1))
    #expect(try number("SELECT count(*) FROM points") == 2)
  }

  @Test func aServerThatIsSilentIsGivenUp() throws {
    let store = try store { $0.answerMilliseconds = 400 }
    #expect(upload(1, into: store) == accepted(1))
    let process = pid_t(try reader().perform("SELECT \(Self.writer)").integer(0, 0))
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    #expect(upload(2, into: store) == accepted(1), "over another connection")
  }

  @Test func withoutAFreeConnectionTheStoreWaits() throws {
    let store = try store()
    var others: [PostgresConnection] = []
    while true {
      do { others.append(try PostgresConnection(to: place)) } catch { break }
    }
    let last = try #require(others.last)
    _ = try last.perform(
      "SELECT pg_terminate_backend(pid) FROM (SELECT \(Self.writer) ORDER BY backend_start LIMIT 1) AS first")
    // The slot of the connection that was cut is taken by another one.
    while true {
      do { others.append(try PostgresConnection(to: place)) } catch { if others.count >= 12 { break } }
    }
    #expect(upload(1, into: store) == .unavailable(.unreachable))
    others.removeAll()
    recover(store)
    #expect(upload(1, into: store) == accepted(1))
  }

  /// The commit waits for a standby that is not there: it is made, and nothing has been said of it.
  private func withoutStandby(_ body: () throws -> Void) throws {
    let administrator = try reader()
    try administrator.run("SET synchronous_commit = local")
    try administrator.run("ALTER SYSTEM SET synchronous_standby_names = 'nothing'")
    try cluster.reload()
    while try administrator.perform("SHOW synchronous_standby_names").text(0, 0).isEmpty {}
    defer {
      do {
        try administrator.run("ALTER SYSTEM SET synchronous_standby_names = ''")
        try cluster.reload()
        while try !administrator.perform("SHOW synchronous_standby_names").text(0, 0).isEmpty {}
      } catch { Issue.record("\(error)") }
    }
    try body()
  }

  @Test(arguments: ["pg_terminate_backend", "pg_cancel_backend"])
  func aCommitWhoseAnswerIsLostIsNotAcknowledged(cut: String) throws {
    let device = Sample.device()
    let expiry = Sample.noon.advanced(byMilliseconds: Sample.day)
    let store = try store()
    _ = store.apply(
      [
        .queue(QueuedCommand(target: .device(device), command: [1], expiresAt: expiry, proof: .odometer(metres: 5))),
        .beginFamily(TokenFamily(device: device, refresh: Sample.uuid(1), expiresAt: expiry)),
        .ingest(Sample.batch(Sample.device(2), [9])),
      ], now: Sample.noon)
    let rotation = TokenRotation(presented: Sample.uuid(1), successor: Sample.uuid(2), answer: [7], expiresAt: expiry)
    let group: [StoreJob] = [.ingest(Sample.batch([1, 2])), .rotate(rotation)]
    try withoutStandby {
      let results = try apply(group, to: store, whenItWaitsFor: "SyncRep", "SELECT \(cut)($1::int8::int4)")
      #expect(results == [.unavailable(.unreachable), .unavailable(.unreachable)])
      #expect(try number("SELECT count(*) FROM points") == 3, "it was made after all")
    }
    // A minute later: the time of grace is over, had it not begun anew.
    let later = Sample.noon.advanced(byMilliseconds: 60_000)
    recover(store, from: later)
    let results = store.apply(group, now: later.advanced(byMilliseconds: 10_000))
    #expect(results[0] == .ingested(IngestReceipt(duplicate: 2, commands: [TakenCommand(id: 1, command: [1])])))
    guard case .rotatedBefore(_, [7]) = results[1] else {
      Issue.record("\(results[1])")
      return
    }
    #expect(try number("SELECT sum(attempts) FROM deliveries") == 2)
  }

  @Test func aGroupThatIsCutBeforeItsCommitIsDoneAgain() throws {
    let store = try store()
    #expect(upload(1, into: store) == accepted(1))
    let other = try reader()
    try other.run("BEGIN")
    _ = try other.perform("SELECT * FROM devices FOR UPDATE")
    let holder = try other.perform("SELECT pg_backend_pid()").integer(0, 0)
    let results = try apply(
      [.ingest(Sample.batch([2, 3]))], to: store, whenItWaitsFor: "transactionid",
      "SELECT pg_terminate_backend($1::int8::int4), pg_terminate_backend(\(holder))")
    #expect(results == [accepted(2)])
    #expect(try number("SELECT count(*) FROM points") == 3)
  }

  @Test func synchronousCommitIsOnWhateverTheServerSays() throws {
    let administrator = try PostgresConnection(to: place)
    try administrator.run("ALTER SYSTEM SET synchronous_commit = off")
    defer {
      do {
        try administrator.run("ALTER SYSTEM RESET synchronous_commit")
        try cluster.reload()
      } catch { Issue.record("\(error)") }
    }
    try cluster.reload()
    while try administrator.perform("SHOW synchronous_commit").text(0, 0) != "off" {}
    let store = try store()
    #expect(upload(0, into: store) == accepted(1))
    // A commit that is not waited for would not wait for a standby either.
    try withoutStandby {
      let results = try apply(
        [.ingest(Sample.batch([1]))], to: store, whenItWaitsFor: "SyncRep", "SELECT pg_cancel_backend($1::int8::int4)")
      #expect(results == [.unavailable(.unreachable)])
    }
  }
}
