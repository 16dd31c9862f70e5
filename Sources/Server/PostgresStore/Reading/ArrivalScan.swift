import Database
import Store

/// The statement for one page of a scan of everything stored, in order of arrival.
///
/// Transactions do not commit in the order of their numbers: what is committed during the scan may lie before its cursor.
/// Everything committed before the scan began is included, whatever transactions are open.
struct ArrivalScan {
  /// The rows examined for one page, whether or not they match, apart from the rest of the last transaction. A small page
  /// examines fewer.
  static let rowsPerPage = 8_192
  private static let rowsOfSmallPage = 1_024
  /// A number above that of every record of a transaction: the maximum of its column.
  static let endOfTransaction = Int64(Int32.max)

  private(set) var values: [PostgresValue]
  private var conditions = ""
  /// The condition for whole days: other partitions are excluded, and in these all rows count.
  private var days = ""

  init(behind cursor: ArrivalCursor?, _ selection: RecordSelection) {
    let keys = selection.keys
    // After the end of a transaction the next one begins: rows counted for a page must lie after the cursor.
    let start = cursor.map { $0.row < ArrivalScan.endOfTransaction ? $0 : ArrivalCursor(group: $0.group + 1, row: -1) }
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

  /// Adds a parameter with this value and returns its name.
  private mutating func value(_ value: PostgresValue) -> String {
    values.append(value)
    return "$\(values.count)::\(value.type)"
  }

  private mutating func require(_ column: String, _ relation: String, _ wanted: PostgresValue) {
    conditions += " AND \(column) \(relation) \(value(wanted))"
  }

  /// Each row begins with the last transaction of the page, null at the end. The columns follow; they are null in the only row
  /// of a page without matches.
  mutating func statement(_ columns: String, limit: Int?) -> String {
    let rows = max(ArrivalScan.rowsOfSmallPage, min(limit ?? .max, ArrivalScan.rowsPerPage))
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
