import Base
import Database
import Store

/// Why a group cannot continue as it was begun.
enum GroupObstacle {
  /// Another node has dropped a day that the jobs need.
  case daysChanged
  case newerVersion
}

/// The jobs of a group in one transaction. Consecutive jobs of the common kinds are executed together: their rows are read and
/// locked, the records are inserted, the results are decided in memory in the order of the jobs, and the changes are sent with
/// the commit or with the next read. So a group takes three round trips to the server, however many jobs it has, one more when
/// it has new devices, and one for each job of an administrator.
final class PostgresGroup {
  typealias Failure = PostgresConnection.Failure

  let jobs: [StoreJob]
  let now: Int64
  let limits: StoreLimits
  let days: DayTable
  let round: PostgresRound
  var results: [StoreResult]
  /// The quarantined records that were deleted to make room for those of the jobs.
  var evictedFromQuarantine = 0
  /// The number of records so far.
  var pointCount = 0
  /// The corrections to make if the answer to the commit is lost.
  var doubts = UncertainEffects()
  /// Whether the cached days are only valid within this transaction.
  var hasReset = false
  /// Whether no other group runs in parallel with this one, from its first statement to its commit.
  private let isAlone: Bool
  /// The number of the transaction in the order of arrival.
  private(set) var arrival: Int64 = 0
  private var hasCaughtUp = false
  private var head: (version: Int, dayChanges: Int64)?

  init(
    _ jobs: [StoreJob], now: Int64, _ limits: StoreLimits, _ days: DayTable, alone: Bool,
    on connection: PostgresConnection
  ) {
    self.jobs = jobs
    self.now = now
    self.limits = limits
    self.days = days
    isAlone = alone || jobs.contains { if case .reset(run: nil) = $0 { true } else { false } }
    round = PostgresRound(connection)
    results = Array(repeating: .changed(0), count: jobs.count)
  }

  /// Executes everything except the commit; some statements may still be queued afterwards.
  func perform() throws(Failure) -> GroupObstacle? {
    try begin()
    var start = 0
    while start < jobs.count {
      if try administer(start) {
        start += 1
        if let obstacle = try obstacle() { return obstacle }
        continue
      }
      let end = jobs[start...].firstIndex(where: \.isOfAdministrator) ?? jobs.count
      let set = JobSet(self, start..<end)
      try set.load()
      if let obstacle = try obstacle() { return obstacle }
      try set.perform()
      start = end
    }
    return nil
  }

  private func obstacle() throws(Failure) -> GroupObstacle? {
    guard let head else { preconditionFailure("a group begins with a look at the installation") }
    if head.version != PostgresSchema.version { return .newerVersion }
    if hasReset || hasCaughtUp || head.dayChanges == days.changes { return nil }
    if isAlone {
      days.forget()
      try days.make(for: jobs, now: now, limits, on: round.connection)
      hasCaughtUp = true
    } else {
      hasCaughtUp = try days.catchUp(for: jobs, now: now, limits, on: round.connection)
    }
    return hasCaughtUp ? nil : .daysChanged
  }

  private func begin() throws(Failure) {
    try round.send("BEGIN")
    // Every group begins by reading this table, so locking it excludes all others.
    if isAlone { try round.send("LOCK TABLE installation IN ACCESS EXCLUSIVE MODE") }
    try round.send("SELECT version, day_changes, arrival_now() FROM installation") { [self] result in
      head = (Int(result.integer(0, 0)), result.integer(0, 1))
      arrival = result.integer(0, 2)
    }
  }

  /// Returns whether the record is stored in the partition of odd times.
  func isOdd(_ point: Point) -> Bool {
    let day = Day.of(point.recordedAt, now: now, daysAhead: limits.daysAhead)
    return day == Day.odd || !days.all.contains(day)
  }
}

/// The effects of a commit whose answer was lost, if it was made after all: commands that count as sent and tokens that count
/// as used, although no client got the answer. For everything else repeating the job is enough.
struct UncertainEffects {
  var taken: [CommandRows.Key] = []
  var rotations: [(family: Int64, successor: UUID128)] = []
  var at: Int64 = 0

  var isEmpty: Bool { taken.isEmpty && rotations.isEmpty }

  /// Makes the commands due again, and restarts the grace period. Changes nothing if there was no commit.
  func settle(on connection: PostgresConnection, now: Int64) throws(PostgresConnection.Failure) {
    let round = PostgresRound(connection)
    try round.send("BEGIN")
    if !taken.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(integers: taken, of: { $0.command })
      arguments.add(integers: taken, of: { $0.device })
      arguments.add(at)
      try round.send(
        """
        UPDATE deliveries SET state = \(DeliveryState.due)
        FROM unnest($1::int8[], $2::int8[]) AS taken(command, device)
        WHERE deliveries.command = taken.command AND deliveries.device = taken.device
          AND state = \(DeliveryState.sent) AND sent = $3::int8
        """, arguments)
      try round.send(
        """
        DELETE FROM proofs USING unnest($1::int8[], $2::int8[]) AS taken(command, device)
        WHERE proofs.command = taken.command AND proofs.device = taken.device AND sent = $3::int8
        """, arguments)
    }
    if !rotations.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(integers: rotations, of: { $0.family })
      arguments.add(uuids: rotations, of: { $0.successor })
      arguments.add(now)
      try round.send(
        """
        UPDATE token_families SET rotated = $3::int8 FROM unnest($1::int8[], $2::uuid[]) AS made(family, successor)
        WHERE id = family AND current = successor
        """, arguments)
    }
    try round.send("COMMIT")
    try round.flush()
  }
}
