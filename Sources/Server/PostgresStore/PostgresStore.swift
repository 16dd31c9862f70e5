package import Base
import Database
package import Store

/// The store in a PostgreSQL database that any number of servers share, with one connection for the writer's thread.
///
/// Its caches serve only speed: each transaction reads and locks what it changes. A group whose commit was not confirmed is
/// `unavailable` although it may be stored: the requests are repeated, and find their records stored.
package final class PostgresStore: Store {
  typealias Failure = PostgresConnection.Failure

  /// The maximum number of attempts for a group that conflicts with those of other nodes.
  private static let attemptsMax = 8
  /// The number of attempts in parallel with other nodes. Later attempts run alone, so that they cannot conflict: with a node
  /// that resets continuously, the partitions made for a group would be gone each time before it begins.
  private static let attemptsBesideOthers = 4

  private let place: String
  private let configuration: StoreConfiguration
  private let commitTimer: CommitTimer?
  /// The board of the sinks; nil when no records are forwarded.
  private let board: ArrivalBoard?
  /// Identifies the node's own notifications.
  package let node: UInt64
  private var connection: PostgresConnection?
  private let days = DayTable()
  private var upkeep: PostgresUpkeep
  private var doubts: [UncertainEffects] = []
  private var pause = ReconnectPause()
  /// Why a group or a step failed; nil again after a probe of some size was committed.
  package private(set) var outage: StoreOutage?
  /// The database's own text of the last error.
  package private(set) var outageDetail: String?
  package private(set) var evictedFromQuarantine = 0

  /// Damage to files is found by the database itself.
  package func damageFound() {}

  /// Connects, and creates the tables or migrates them to the current version. Settings of files are ignored. `passedOver` is
  /// called once for each command that this version does not know how to deliver, on the thread that owns the store.
  package init(
    at place: String, _ configuration: StoreConfiguration, commitTimer: CommitTimer? = nil, board: ArrivalBoard? = nil,
    passedOver: @escaping (UnknownOrder) -> Void = { _ in }
  ) throws(StoreError) {
    self.place = place
    self.configuration = configuration
    self.commitTimer = commitTimer
    self.board = board
    node = UInt64.random(in: .min ... .max)
    upkeep = PostgresUpkeep(configuration, board, passedOver: passedOver)
    let connection = try PostgresInstallation.openToWrite(place, configuration.limits)
    do throws(Failure) { try enterSinks(connection) } catch {
      throw StoreError(error, at: PostgresURI(place))
    }
    self.connection = connection
  }

  package func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    evictedFromQuarantine = 0
    let results = commit(group, now: now.millisecondsSince1970)
    guard let connection else { return results }
    // After the group, even if it was not committed.
    for case .read(let body) in group { body(PostgresReader(on: connection)) }
    return results
  }

  private func commit(_ group: [StoreJob], now: Int64) -> [StoreResult] {
    var losses = 0
    for number in 0..<PostgresStore.attemptsMax {
      switch attempt(group, now: now, alone: number >= PostgresStore.attemptsBesideOthers) {
      case .done(let results): return results
      case .again: continue
      // The connection may have been cut, or its server restarted, since the last group.
      case .lost where losses == 0: losses += 1
      case .lost: return refuse(group, .unreachable)
      case .failed(let outage): return refuse(group, outage)
      }
    }
    return refuse(group, .unreachable)
  }

  private func refuse(_ group: [StoreJob], _ outage: StoreOutage) -> [StoreResult] {
    self.outage = outage
    return Array(repeating: .unavailable(outage), count: group.count)
  }

  fileprivate enum Attempt {
    case done([StoreResult])
    /// Nothing was stored; try again.
    case again
    /// Nothing was stored, and the connection is lost.
    case lost
    case failed(StoreOutage)
  }

  private func attempt(_ jobs: [StoreJob], now: Int64, alone: Bool) -> Attempt {
    guard let connection = ready(now: now) else { return .failed(.unreachable) }
    let group = PostgresGroup(jobs, now: now, configuration.limits, days, alone: alone, on: connection)
    do throws(Failure) {
      if !alone { try days.make(for: jobs, now: now, configuration.limits, on: connection) }
      switch try group.perform() {
      case nil: break
      case .daysChanged:
        days.forget()
        try connection.run("ROLLBACK")
        return .again
      case .newerVersion:
        self.connection = nil
        outageDetail = "its tables are of a newer version of rollingroad; start that version"
        return .failed(.unreachable)
      }
    } catch {
      return undo(error, connection)
    }
    return commit(group, on: connection)
  }

  private func commit(_ group: PostgresGroup, on connection: PostgresConnection) -> Attempt {
    let start = commitTimer?.now()
    // COMMIT of a failed transaction answers ROLLBACK. A warning means that a standby was not waited for (SyncRepWaitForLSN in
    // PostgreSQL's syncrep.c).
    var isCommitted = false
    _ = connection.wasWarned
    do throws(Failure) {
      try group.round.send("COMMIT") { isCommitted = $0.tag == "COMMIT" }
      try group.round.send("SELECT pg_notify(current_schema(), $1::text)", notification(of: group.jobs))
      try group.round.flush()
    } catch {
      let outcome = undo(error, connection)
      // Two transactions conflicted, and this one was rolled back. After any other error it is unknown whether the commit took
      // effect.
      if case .again = outcome { return .again }
      doubt(group)
      return .failed(outcome.outage)
    }
    if group.hasReset { days.forget() }
    if let commitTimer, let start { commitTimer.record(since: start) }
    guard isCommitted, !connection.wasWarned else {
      doubt(group)
      self.connection = nil
      return .failed(.unreachable)
    }
    evictedFromQuarantine = group.evictedFromQuarantine
    return .done(group.results)
  }

  private func doubt(_ group: PostgresGroup) {
    if !group.doubts.isEmpty { doubts.append(group.doubts) }
  }

  /// Called after a failure before the commit: nothing is stored.
  private func undo(_ failure: Failure, _ connection: PostgresConnection) -> Attempt {
    days.forget()
    outageDetail = failure.message
    guard !failure.isLost else {
      self.connection = nil
      return .lost
    }
    do throws(Failure) { try connection.run("ROLLBACK") } catch { self.connection = nil }
    switch PostgresRemedy(failure) {
    case .repeatGroup: return .again
    case .reconnect:
      self.connection = nil
      return .lost
    case .wait(let outage, let reconnects):
      if reconnects { self.connection = nil }
      return .failed(outage)
    }
  }

  /// Returns the notification for other nodes: the node that wrote, and the kinds of changes.
  private func notification(of jobs: [StoreJob]) -> PostgresArguments {
    var kinds = ChangeKinds()
    for job in jobs { kinds.formUnion(ChangeKinds(job)) }
    var arguments = PostgresArguments()
    arguments.add("\(String(node, radix: 16)) \(kinds.rawValue)")
    return arguments
  }
}

extension PostgresStore {
  /// Returns the connection, reopened if it was lost; nil when there is none, or when the last attempt was moments ago.
  private func ready(now: Int64) -> PostgresConnection? {
    if let connection { return connection }
    guard pause.isOver(now: now) else { return nil }
    do throws(StoreError) {
      let made = try PostgresInstallation.openToWrite(place, configuration.limits)
      do throws(Failure) {
        while let first = doubts.first {
          try first.settle(on: made, now: now)
          doubts.removeFirst()
        }
        try enterSinks(made)
      } catch { throw StoreError(code: .unreachable, message: error.message) }
      connection = made
      days.forget()
      pause.end()
    } catch {
      outageDetail = error.message
      pause.begin(now: now)
      return nil
    }
    return connection
  }

  /// Adds new sinks, which begin with new records or with all stored ones.
  private func enterSinks(_ connection: PostgresConnection) throws(Failure) {
    guard !configuration.sinks.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(texts: configuration.sinks, of: { $0 })
    arguments.add(configuration.sinksBeginAtStart)
    _ = try connection.perform(
      """
      INSERT INTO sinks(name, arrived_in, n)
      SELECT name, CASE WHEN $2::bool THEN 0 ELSE arrival_horizon() - 1 END, CASE WHEN $2::bool THEN 0 ELSE 2147483647 END
      FROM unnest($1::text[]) AS name ON CONFLICT DO NOTHING
      """, arguments)
  }

  package func maintain(now: WallInstant) -> Bool {
    let now = now.millisecondsSince1970
    guard let connection = ready(now: now) else {
      outage = outage ?? .unreachable
      return false
    }
    do throws(Failure) {
      if outage != nil {
        try probe(connection)
        outage = nil
      }
      return try upkeep.step(on: connection, now: now)
    } catch {
      switch undo(error, connection) {
      case .failed(let outage): self.outage = outage
      case .done, .again, .lost: break
      }
      return false
    }
  }

  /// A small group succeeds on a nearly full disk; so the outage ends only after a commit as large as most groups.
  private func probe(_ connection: PostgresConnection) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(blob: [UInt8](repeating: 0, count: configuration.limits.probeBytes))
    _ = try connection.perform("INSERT INTO probe VALUES ($1::bytea)", arguments)
    _ = try connection.perform("DELETE FROM probe")
    // Checks what a group needs: the rights on its tables, and that no other session has them locked.
    _ = try connection.perform("INSERT INTO points SELECT * FROM points WHERE false")
    _ = try connection.perform("UPDATE devices SET points = points WHERE false")
  }

  package func close() { connection = nil }
}

/// The pause between two attempts to connect: while the server is unreachable, groups rarely wait for it.
private struct ReconnectPause {
  private static let longest: Int64 = 2_000
  private var length: Int64 = 0
  private var since: Int64 = 0

  /// Also true when the clock was set back.
  func isOver(now: Int64) -> Bool { now < since || now - since >= length }

  mutating func begin(now: Int64) {
    length = min(ReconnectPause.longest, max(50, length * 2))
    since = now
  }

  mutating func end() { length = 0 }
}

/// The reaction to an error of the server (https://www.postgresql.org/docs/15/errcodes-appendix.html).
enum PostgresRemedy: Equatable {
  /// Two transactions conflicted; the next attempt sees the result of the other one.
  case repeatGroup
  case reconnect
  case wait(StoreOutage, reconnects: Bool)

  init(_ failure: PostgresConnection.Failure) {
    self =
      switch failure.state {
      // serialization_failure, deadlock_detected; unique_violation: another node has added the same device; check_violation: it
      // has made a partition while records of that day were being written to the partition of odd times.
      case "40001", "40P01", "23505", "23514": .repeatGroup
      // feature_not_supported ("cached plan must not change result type"), invalid_sql_statement_name: a pooler has dropped the
      // prepared statements.
      case "0A000", "26000": .reconnect
      // lock_not_available, query_canceled: as after a timeout.
      case "55P03", "57014": .wait(.unreachable, reconnects: false)
      // disk_full
      case "53100": .wait(.full, reconnects: false)
      // io_error, data_corrupted, index_corrupted
      case "58030", "XX001", "XX002": .wait(.inputOutput, reconnects: true)
      // read_only_sql_transaction: after a failover another host may accept writes.
      default: .wait(.unreachable, reconnects: true)
      }
  }
}

extension PostgresStore.Attempt {
  fileprivate var outage: StoreOutage { if case .failed(let outage) = self { outage } else { .unreachable } }
}

/// The kinds of changes of a group, for waiters on other nodes.
package struct ChangeKinds: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let records = ChangeKinds(rawValue: 1)
  package static let commands = ChangeKinds(rawValue: 2)
  package static let tokens = ChangeKinds(rawValue: 4)
  package static let devices = ChangeKinds(rawValue: 8)
  package static let sinks = ChangeKinds(rawValue: 16)

  init(_ job: StoreJob) {
    self =
      switch job {
      case .ingest: .records
      case .queue, .takeCommands, .markDelivered, .returnCommands: .commands
      case .beginFamily, .rotate, .revokeTokens, .expireTokens: .tokens
      case .setTags, .keepLog, .delete, .clearQuarantine, .reset: .devices
      case .advance: .sinks
      case .checkToken, .read: []
      }
  }
}
