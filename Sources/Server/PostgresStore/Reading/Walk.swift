import Database
import Store

/// A page of a walk through everything stored, in the order of arrival, as a statement.
///
/// Transactions do not commit in the order of their numbers: what is committed while the walk lasts may lie before its cursor. All that
/// was committed before the walk began is in it, whatever transactions are open.
struct Walk {
  /// Rows looked at for one page, whether or not they belong to it, and the rest of the last transaction. A small page looks at
  /// fewer.
  static let rowsPerPage = 8_192
  private static let rowsOfSmallPage = 1_024
  /// A number that no record of a transaction has: the largest of its column.
  static let endOfTransaction = Int64(Int32.max)

  private(set) var values: [PostgresValue]
  private var conditions = ""
  /// Of whole days: other partitions are left out, and in these all rows count.
  private var days = ""

  init(behind cursor: ArrivalCursor?, _ selection: RecordSelection) {
    let keys = selection.keys
    // Behind the end of a transaction the next one begins: what is counted for a page lies behind the cursor.
    let start = cursor.map { $0.row < Walk.endOfTransaction ? $0 : ArrivalCursor(group: $0.group + 1, row: -1) }
    values = [.integer(start?.group ?? 0), .integer(start?.row ?? -1)]
    require("run", "=", .text(keys.run))
    if let device = keys.device { require("name", "=", .text(device.name)) }
    let day = Day.milliseconds
    if keys.from != .min {
      require("recorded_at", ">=", .integer(keys.from))
      if keys.from > 0 { days += " AND recorded_at >= \(value(.integer(keys.from / day * day)))" }
    }
    if keys.to != .max {
      require("recorded_at", "<", .integer(keys.to))
      if keys.to < .max - day { days += " AND recorded_at < \(value(.integer((keys.to / day + 1) * day)))" }
    }
    if selection.receivedFrom != .min { require("received_at", ">=", .integer(selection.receivedFrom)) }
    if let event = selection.event { require("point.event", "=", .text(event)) }
  }

  /// The name of a parameter that has this value.
  private mutating func value(_ value: PostgresValue) -> String {
    values.append(value)
    return "$\(values.count)::\(value.type)"
  }

  private mutating func require(_ column: String, _ relation: String, _ wanted: PostgresValue) {
    conditions += " AND \(column) \(relation) \(value(wanted))"
  }

  /// Each row begins with the last transaction of the page, null where nothing is behind it. Then come the columns, null in the one
  /// row of a page that has found nothing.
  mutating func statement(_ columns: String, limit: Int?) -> String {
    let rows = max(Walk.rowsOfSmallPage, min(limit ?? .max, Walk.rowsPerPage))
    let order = limit.map { "ORDER BY arrived_in, n LIMIT \(value(.integer(Int64($0))))" } ?? ""
    let front = "arrived_in >= $1::int8\(days)"
    return """
      WITH page_end AS MATERIALIZED (
        SELECT arrived_in FROM points WHERE \(front) ORDER BY arrived_in OFFSET \(rows - 1) LIMIT 1)
      SELECT page_end.arrived_in, found.* FROM (SELECT) AS always LEFT JOIN page_end ON true
      LEFT JOIN LATERAL (
        SELECT \(columns) FROM points AS point JOIN devices ON devices.id = device
        WHERE \(front) AND (arrived_in, n) > ($1::int8, $2::int8) AND arrived_in <= coalesce(page_end.arrived_in, \(Int64.max))
          \(conditions) \(order)) AS found ON true
      """
  }
}
