import Base
import Database
import Store

/// Maintenance between groups, in steps of a few milliseconds. All nodes do it; each skips what another has begun.
struct PostgresUpkeep {
  typealias Failure = PostgresConnection.Failure

  private static let stepRows: Int64 = 4_096

  private let configuration: StoreConfiguration
  private let board: ArrivalBoard?
  private var swept: Int64?
  private var retentionChecked: Int64?
  private var sized: Int64?
  private var housekept: Int64?
  private let passedOver: (UnknownOrder) -> Void
  /// The open orders of unknown kinds that were found last; each is reported once.
  private var unknown: Set<Int64> = []

  init(
    _ configuration: StoreConfiguration, _ board: ArrivalBoard?, passedOver: @escaping (UnknownOrder) -> Void
  ) {
    self.configuration = configuration
    self.board = board
    self.passedOver = passedOver
  }

  /// Returns whether there is more to do at once.
  mutating func step(on connection: PostgresConnection, now: Int64) throws(Failure) -> Bool {
    do throws(Failure) { return try next(on: connection, now: now) } catch {
      // undefined_table: another node has dropped a day after this one had read which days there are; the next step reads them
      // again. Without any tables this fails too.
      guard error.state == "42P01" else { throw error }
      try connection.run("ROLLBACK")
      _ = try connection.dayChanges()
      return false
    }
  }

  private mutating func next(on connection: PostgresConnection, now: Int64) throws(Failure) -> Bool {
    if isDue(since: swept, every: 1_000, now) {
      if try sweep(connection) { return true }
      swept = now
    }
    if isDue(since: retentionChecked, every: 1_000, now) {
      if try retire(connection, now: now) { return true }
      retentionChecked = now
    }
    guard isDue(since: housekept, every: 60_000, now) else { return false }
    try reportUnknownOrders(connection, now: now)
    let isMore = try trimHistories(connection, now: now)
    if !isMore { housekept = now }
    return isMore
  }

  /// Also true when the clock was set back.
  private func isDue(since last: Int64?, every milliseconds: Int64, _ now: Int64) -> Bool {
    guard let last else { return true }
    return now < last || now - last >= milliseconds
  }

  /// Deletes some rows of deleted devices. Days are processed one by one: a statement for all would lock all of them.
  private func sweep(_ connection: PostgresConnection) throws(Failure) -> Bool {
    let found = try connection.perform("SELECT EXISTS (SELECT FROM forgotten)")
    guard found.flag(0, 0) else { return false }
    try connection.run("BEGIN")
    let devices = try connection.perform(
      "SELECT device FROM forgotten ORDER BY device LIMIT 64 FOR UPDATE SKIP LOCKED")
    guard devices.count > 0 else {
      try connection.run("ROLLBACK")
      return false
    }
    let ids = (0..<devices.count).map { devices.integer($0, 0) }
    if try !deleteRows(of: ids, connection) {
      _ = try connection.perform("DELETE FROM forgotten WHERE device = ANY($1::int8[])", PostgresUpkeep.list(ids))
    }
    try connection.run("COMMIT")
    return true
  }

  private static func list(_ ids: [Int64]) -> PostgresArguments {
    var arguments = PostgresArguments()
    arguments.add(integers: ids, of: { $0 })
    return arguments
  }

  /// Returns whether there are more.
  private func deleteRows(of ids: [Int64], _ connection: PostgresConnection) throws(Failure) -> Bool {
    let days = try connection.perform("SELECT day_suffix(day) FROM partitions WHERE day <> 0 ORDER BY day")
    let points = ["points_odd"] + (0..<days.count).map { "points_" + days.text($0, 0) }
    let others = StoreTable.allCases.compactMap { table in
      table.rowsPerStep(ofSmall: Self.stepRows).map { (table.rawValue, $0) }
    }
    for (table, most) in points.map({ ($0, Self.stepRows) }) + others {
      let deleted = try connection.perform(
        """
        DELETE FROM \(table) WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM \(table) WHERE device = ANY($1::int8[]) LIMIT \(most) FOR UPDATE))
        """, PostgresUpkeep.list(ids))
      if deleted.changes == Int(most) { return true }
    }
    return false
  }
}

/// Retention.
extension PostgresUpkeep {
  /// Drops a day that is too old and has been forwarded to all sinks, or the oldest day when the data is too large. Returns
  /// whether it dropped one. The newest day always stays.
  private mutating func retire(_ connection: PostgresConnection, now: Int64) throws(Failure) -> Bool {
    let expired = try expired(connection, now: now)
    var free: Int64?
    for day in expired where free == nil {
      if try !isAwaited(day, connection) { free = day }
    }
    if free == nil { board?.hold(expired.count) }
    let surplus = free == nil ? try surplus(connection, now: now) : nil
    guard let given = free ?? surplus else { return false }
    return try drop(given, onlyWhenSent: free != nil, connection)
  }

  /// Returns false when the day was not dropped. Inserts of other nodes into the day wait meanwhile, so that the check here
  /// holds until the day is gone: otherwise a record could be deleted without being forwarded or counted. Takes the locks of
  /// `drop_day`, in its order.
  private func drop(_ day: Int64, onlyWhenSent: Bool, _ connection: PostgresConnection) throws(Failure) -> Bool {
    try connection.run("BEGIN")
    try connection.run("SELECT FROM installation FOR UPDATE")
    // Dropping a partition locks its parent table.
    try connection.run("LOCK TABLE ONLY points IN ACCESS EXCLUSIVE MODE")
    if onlyWhenSent, try isAwaited(day, connection) {
      try connection.run("ROLLBACK")
      return false
    }
    var lost: [(count: Int64, sink: String)] = []
    if !onlyWhenSent {
      for sink in configuration.sinks { lost.append((try count(of: day, behind: sink, connection, most: .max), sink)) }
    }
    var arguments = PostgresArguments()
    arguments.add(day)
    _ = try connection.perform("SELECT drop_day($1::int8)", arguments)
    try connection.run("COMMIT")
    for loss in lost where loss.count > 0 { board?.lose(loss.count, of: loss.sink) }
    return true
  }

  private func isAwaited(_ day: Int64, _ connection: PostgresConnection) throws(Failure) -> Bool {
    for sink in configuration.sinks where try count(of: day, behind: sink, connection, most: 1) > 0 { return true }
    return false
  }

  private static func name(of day: Int64, _ connection: PostgresConnection) throws(Failure) -> String {
    if day == Day.odd { return "points_odd" }
    var arguments = PostgresArguments()
    arguments.add(day)
    return "points_" + (try connection.perform("SELECT day_suffix($1::int8)", arguments).text(0, 0))
  }

  /// Counts the records of a day that have not been forwarded to a sink.
  private func count(
    of day: Int64, behind sink: String, _ connection: PostgresConnection, most: Int64
  ) throws(Failure) -> Int64 {
    var arguments = PostgresArguments()
    arguments.add(sink)
    arguments.add(most)
    let table = try PostgresUpkeep.name(of: day, connection)
    return try connection.perform(
      """
      SELECT count(*) FROM (
        SELECT FROM \(table) AS point JOIN sinks ON name = $1::text
        WHERE point.arrived_in >= sinks.arrived_in AND (point.arrived_in > sinks.arrived_in OR point.n > sinks.n)
        LIMIT $2::int8) AS unsent
      """, arguments
    ).integer(0, 0)
  }

  private func expired(_ connection: PostgresConnection, now: Int64) throws(Failure) -> [Int64] {
    guard let retained = configuration.retainDays else { return [] }
    let first = now / Day.milliseconds - Int64(retained)
    var arguments = PostgresArguments()
    arguments.add(first)
    let found = try connection.perform("SELECT day FROM partitions WHERE day < $1::int8 ORDER BY day", arguments)
    var days = (0..<found.count).map { found.integer($0, 0) }
    guard days.first == Day.odd else { return days }
    // Odd times say nothing about age: the time of arrival counts.
    let last = try connection.perform("SELECT received_at FROM points_odd ORDER BY arrived_in DESC LIMIT 1")
    if last.count == 0 || last.integer(0, 0) / Day.milliseconds >= first { days.removeFirst() }
    return days
  }

  private mutating func surplus(_ connection: PostgresConnection, now: Int64) throws(Failure) -> Int64? {
    guard let limit = configuration.retainBytes, isDue(since: sized, every: 10_000, now) else { return nil }
    guard try connection.perform("SELECT used_bytes()").integer(0, 0) > limit else {
      sized = now
      return nil
    }
    let found = try connection.perform("SELECT day FROM partitions ORDER BY day")
    let days = (0..<found.count).map { found.integer($0, 0) }
    guard days.count > 1 else { return nil }
    return days.dropLast().first { $0 != Day.odd } ?? days.first { $0 == Day.odd }
  }
}

/// Small tables.
extension PostgresUpkeep {
  /// They wait for a server of the version that wrote them.
  private mutating func reportUnknownOrders(_ connection: PostgresConnection, now: Int64) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(now)
    let found = try connection.perform(
      """
      SELECT id, kind FROM orders WHERE is_open AND kind NOT BETWEEN 0 AND 2 AND expires > $1::int8
      ORDER BY id LIMIT \(Self.stepRows)
      """, arguments)
    let orders = (0..<found.count).map { UnknownOrder(id: found.integer($0, 0), kind: found.integer($0, 1)) }
    for order in orders where !unknown.contains(order.id) { passedOver(order) }
    unknown = Set(orders.map(\.id))
  }

  /// Keeps the small tables within their limits. Returns whether there is more to delete.
  private func trimHistories(_ connection: PostgresConnection, now: Int64) throws(Failure) -> Bool {
    let monthAgo = now - TokenRules.keptMilliseconds
    let refusals = Int64(configuration.limits.sinkRefusals)
    let orders = Int64(configuration.limits.ledgerOrders)
    let oldOrder = "id <= (SELECT max(id) FROM orders) - $1::int8 AND (NOT is_open OR expires <= $2::int8)"
    let rules: [(table: String, condition: String, values: [Int64])] = [
      ("sink_refusals", "id <= (SELECT max(id) FROM sink_refusals) - $1::int8", [refusals]),
      ("deliveries", "command IN (SELECT id FROM orders WHERE \(oldOrder))", [orders, now]),
      ("orders", oldOrder + " AND NOT EXISTS (SELECT FROM deliveries WHERE command = orders.id)", [orders, now]),
      ("refresh_tokens", "family IN (SELECT id FROM token_families WHERE expires < $1::int8)", [monthAgo]),
      (
        "token_families",
        "expires < $1::int8 AND NOT EXISTS (SELECT FROM refresh_tokens WHERE family = token_families.id)", [monthAgo]
      ),
    ]
    var isMore = false
    for rule in rules {
      var arguments = PostgresArguments()
      for value in rule.values { arguments.add(value) }
      let deleted = try connection.perform(
        """
        DELETE FROM \(rule.table) WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM \(rule.table) WHERE \(rule.condition) LIMIT \(Self.stepRows) FOR UPDATE SKIP LOCKED))
        """, arguments)
      if deleted.changes == Int(Self.stepRows) { isMore = true }
    }
    return isMore
  }
}
