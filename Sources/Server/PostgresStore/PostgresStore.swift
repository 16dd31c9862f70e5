package import Base
import Database
package import Store

/// The store in a PostgreSQL database that any number of servers share, with one connection of the writer's thread.
///
/// What it remembers is only of use for speed: each transaction reads and locks what it changes. A group whose answer to the commit was
/// lost is `unavailable` though it may be stored: the requests are repeated, and find their records there.
package final class PostgresStore: Store {
  typealias Failure = PostgresConnection.Failure

  /// How often a group is tried that meets those of other nodes.
  private static let attemptsMax = 8
  /// So many beside them. From then on it is alone, so that it cannot meet them again: where a node resets without a pause, the
  /// partitions that a group has made are gone each time before it begins.
  private static let attemptsBesideOthers = 4

  private let place: String
  private let configuration: StoreConfiguration
  private let commitTimer: CommitTimer?
  /// Nil when no records go on.
  private let board: ArrivalBoard?
  /// In the notifications, so that a node knows its own.
  package let node: UInt64
  private var connection: PostgresConnection?
  private let days = DayTable()
  private var upkeep: PostgresUpkeep
  private var doubts: [Doubts] = []
  private var pause = ReconnectPause()
  /// Why a group or a step failed; nil again when a probe of some size was committed since.
  package private(set) var outage: StoreOutage?
  /// What the database said last of what it refused, in its own words.
  package private(set) var outageDetail: String?
  package private(set) var crowdedOut = 0

  /// Damage to files is found by the database itself.
  package func damageFound() {}

  /// Connects, and makes the tables or brings them to the current version. Of the configuration counts what is not about files.
  package init(
    at place: String, _ configuration: StoreConfiguration, commitTimer: CommitTimer? = nil, board: ArrivalBoard? = nil
  ) throws(StoreError) {
    self.place = place
    self.configuration = configuration
    self.commitTimer = commitTimer
    self.board = board
    node = UInt64.random(in: .min ... .max)
    upkeep = PostgresUpkeep(configuration, board)
    let connection = try PostgresInstallation.openToWrite(place, configuration.limits)
    do throws(Failure) { try enterSinks(connection) } catch {
      throw StoreError(error, at: PostgresURI(place))
    }
    self.connection = connection
  }

  package func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    crowdedOut = 0
    let results = commit(group, now: now.millisecondsSince1970)
    guard let connection else { return results }
    // Behind the group, also behind one that was not committed.
    for case .read(let body) in group { body(PostgresReader(on: connection)) }
    return results
  }

  private func commit(_ group: [StoreJob], now: Int64) -> [StoreResult] {
    var losses = 0
    for number in 0..<PostgresStore.attemptsMax {
      switch attempt(group, now: now, alone: number >= PostgresStore.attemptsBesideOthers) {
      case .done(let results): return results
      case .again: continue
      // The connection may have been cut, or its server started anew, since the last group.
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
    /// Nothing of it is stored.
    case again
    /// Neither, and there is no connection any more.
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
    // COMMIT of a transaction that has failed answers ROLLBACK. A warning says that a standby was not waited for
    // (SyncRepWaitForLSN in PostgreSQL's syncrep.c).
    var isCommitted = false
    _ = connection.wasWarned
    do throws(Failure) {
      try group.round.send("COMMIT") { isCommitted = $0.tag == "COMMIT" }
      try group.round.send("SELECT pg_notify(current_schema(), $1::text)", notification(of: group.jobs))
      try group.round.flush()
    } catch {
      let outcome = undo(error, connection)
      // Two transactions have met, and this one was undone. Of everything else it is not known whether the commit came first.
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
    crowdedOut = group.crowdedOut
    return .done(group.results)
  }

  private func doubt(_ group: PostgresGroup) {
    if !group.doubts.isEmpty { doubts.append(group.doubts) }
  }

  /// After a failure before the commit: nothing is stored.
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

  /// What other nodes hear of the group: who wrote, and which kinds of things.
  private func notification(of jobs: [StoreJob]) -> PostgresArguments {
    var kinds = ChangeKinds()
    for job in jobs { kinds.formUnion(ChangeKinds(job)) }
    var arguments = PostgresArguments()
    arguments.add("\(String(node, radix: 16)) \(kinds.rawValue)")
    return arguments
  }
}

extension PostgresStore {
  /// The connection, made anew when it was lost; nil when there is none, or when the last trial was a moment ago.
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

  /// Those that are new begin with what comes, or with what is there.
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

  /// A group that happens to be small succeeds on a disk that is as good as full; so the trouble is over only when as much is
  /// committed as most groups are.
  private func probe(_ connection: PostgresConnection) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(blob: [UInt8](repeating: 0, count: configuration.limits.probeBytes))
    _ = try connection.perform("INSERT INTO probe VALUES ($1::bytea)", arguments)
    _ = try connection.perform("DELETE FROM probe")
    // What a group needs: the rights on its tables, and that no other holds them locked.
    _ = try connection.perform("INSERT INTO points SELECT * FROM points WHERE false")
    _ = try connection.perform("UPDATE devices SET points = points WHERE false")
  }

  package func close() { connection = nil }
}

/// Between two trials to connect: as long as the server is away, no group waits for it longer than once in a while.
private struct ReconnectPause {
  private static let longest: Int64 = 2_000
  private var length: Int64 = 0
  private var since: Int64 = 0

  /// Also when the clock was set back.
  func isOver(now: Int64) -> Bool { now < since || now - since >= length }

  mutating func begin(now: Int64) {
    length = min(ReconnectPause.longest, max(50, length * 2))
    since = now
  }

  mutating func end() { length = 0 }
}

/// What to do about an error of the server (https://www.postgresql.org/docs/15/errcodes-appendix.html).
enum PostgresRemedy: Equatable {
  /// Two transactions have met; the next try finds the other one's outcome.
  case repeatGroup
  case reconnect
  case wait(StoreOutage, reconnects: Bool)

  init(_ failure: PostgresConnection.Failure) {
    self =
      switch failure.state {
      // serialization_failure, deadlock_detected; unique_violation: another node has entered the same device; check_violation: it
      // has made a partition while records for that day were on their way to the partition of odd times.
      case "40001", "40P01", "23505", "23514": .repeatGroup
      // feature_not_supported ("cached plan must not change result type"), invalid_sql_statement_name: a pooler has taken the
      // prepared statements.
      case "0A000", "26000": .reconnect
      // lock_not_available, query_canceled: as after a timeout.
      case "55P03", "57014": .wait(.unreachable, reconnects: false)
      // disk_full
      case "53100": .wait(.full, reconnects: false)
      // io_error, data_corrupted, index_corrupted
      case "58030", "XX001", "XX002": .wait(.inputOutput, reconnects: true)
      // read_only_sql_transaction: after a failover there may be another host that writes.
      default: .wait(.unreachable, reconnects: true)
      }
  }
}

extension PostgresStore.Attempt {
  fileprivate var outage: StoreOutage { if case .failed(let outage) = self { outage } else { .unreachable } }
}

/// What a group has changed, for those on other nodes who wait for it.
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
