import Base
import Database
import Scenario
import Shell

/// An SQLite database file, which its backend may be writing concurrently.
struct DatabaseStore: StoreView {
  let path: String
  let query: String
  let fields: [Named<[JSONStep]>]
  /// The same timeout as for PostgreSQL and commands.
  var timeOfQuery = Nanoseconds.seconds(300)

  var place: String { path }
  var isOfAllDevices: Bool { !DeviceParameter.stands(in: query) }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    try session().read(device, take)
  }

  func session() throws(StoreViewError) -> any StoreSession { try DatabaseSession(self) }
  func check() throws(StoreViewError) { try DatabaseSession(self).check() }

  func listCommand(for device: String) -> String? {
    let command = "sqlite3 -readonly \(WholePath.of(path).shellWord)"
    return "\(command) \(DeviceParameter.filled(query, device).shellWord)\(isOfAllDevices ? device.asFilter : "")"
  }
}

/// One connection for all devices.
private final class DatabaseSession: StoreSession {
  private let store: DatabaseStore
  private let connection: Connection

  init(_ store: DatabaseStore) throws(StoreViewError) {
    self.store = store
    do throws(DatabaseError) { connection = try Connection(path: store.path, access: .readOnly) } catch {
      throw StoreViewError(text: "\(store.path): \(error)")
    }
  }

  /// Compiles the query. The device is its only parameter.
  private func statement() throws(StoreViewError) -> Statement {
    let statement: Statement
    do throws(DatabaseError) { statement = try connection.prepare(store.query) } catch {
      throw StoreViewError(text: "\(store.path): \(error)")
    }
    let names = statement.parameterNames
    if let other = names.first(where: { $0 != DeviceParameter.name }) {
      throw StoreViewError(
        text: "\(store.path): the query has the parameter '\(other ?? "?")'; only :device is filled in")
    }
    guard names.isEmpty == store.isOfAllDevices else {
      throw StoreViewError(
        text: "\(store.path): the query has :device in a text or a comment, where it is not filled in")
    }
    return statement
  }

  /// Checks that the query is a single one on existing tables, and that it has a parameter for the device or a column with it.
  func check() throws(StoreViewError) {
    let columns = try statement().columnNames
    guard !store.isOfAllDevices || StoredRecord.mayNameDevice(columns: columns, fields: store.fields) else {
      throw StoreViewError(
        text: "\(store.path): no column of the query names the device; add a column 'device', or WHERE device = :device"
      )
    }
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    var statement = try statement()
    connection.limitStatements(until: SystemClock().monotonicNow + store.timeOfQuery)
    defer { connection.limitStatements(until: nil) }
    do throws(DatabaseError) {
      var rows = statement.start()
      let name = Array(device.utf8)
      if !store.isOfAllDevices { rows.bind(1, text: name.span) }
      var names: [String] = []
      while try rows.step() {
        if names.isEmpty { names = rows.columns.map { rows.name(of: $0) } }
        take(StoredRecord(DatabaseSession.entry(rows, names), fields: store.fields))
      }
      return ListEnd()
    } catch  where error.kind == .interrupted {
      throw StoreViewError(
        text: "\(store.path): the query took more than \(store.timeOfQuery.wholeMilliseconds) ms")
    } catch { throw StoreViewError(text: "\(store.path): \(error)") }
  }

  private static func entry(_ row: borrowing Execution, _ names: [String]) -> StoredValue {
    var members: [(String, StoredValue)] = []
    members.reserveCapacity(names.count)
    for (column, name) in zip(row.columns, names) {
      let value: StoredValue =
        switch row.storageClass(at: column) {
        case .null: .null
        case .integer: .number("\(row.integer(at: column))")
        case .real: .number("\(row.double(at: column))")
        case .text: .text(row.text(at: column))
        case .blob: StoredValue(stored: row.blob(at: column))
        }
      members.append((name, value))
    }
    return .object(members)
  }
}

/// `:device` in a query, but not the cast `::device`.
enum DeviceParameter {
  static let name = ":device"

  static func stands(in query: String) -> Bool { replaced(in: query, by: "?") != query }

  /// Returns the query with a device in place of the parameter.
  static func filled(_ query: String, _ device: String) -> String {
    replaced(in: query, by: "'\(device.replacing("'", with: "''"))'")
  }

  /// Returns the query with another spelling of the parameter.
  static func replaced(in query: String, by spelling: String) -> String {
    var result = ""
    var rest = query[...]
    while let place = rest.firstRange(of: name) {
      let isCast = rest[..<place.lowerBound].last == ":"
      let isLonger = rest[place.upperBound...].first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
      result += rest[..<place.lowerBound] + (isCast || isLonger ? name : spelling)
      rest = rest[place.upperBound...]
    }
    return result + rest
  }
}
