import Base
package import Database
package import Store

/// Reads a store in PostgreSQL. Each query is one statement and so sees one snapshot of the data.
package final class PostgresReader: StoreReader {
  private typealias Failure = PostgresConnection.Failure

  /// The database's URI; nil for a reader on the connection of a writer, which reopens it itself.
  private let place: String?
  private var connection: PostgresConnection?
  private var days = SteadyDays()
  /// Why the database could not be reached. Until `until` queries fail at once instead of waiting for it one after another.
  private var refusal: (error: StoreError, until: MonotonicInstant)?
  private let clock = SystemClock()

  private static let pause = Nanoseconds.milliseconds(500)

  /// Opens a connection of its own, which is reopened when it is lost. The tables must exist.
  package init(to place: String) throws(StoreError) {
    self.place = place
    _ = try opened()
  }

  /// A reader for the thread that owns the connection.
  package init(on connection: PostgresConnection) {
    place = nil
    self.connection = connection
  }

  /// Returns the result of `read` for each row. A query changes nothing, so it is repeated when its connection was cut.
  func find<Answer>(
    _ sql: String, _ values: [PostgresValue], _ read: (PostgresRow) -> Answer
  ) throws(StoreError) -> [Answer] {
    var arguments = PostgresArguments()
    for value in values { value.add(to: &arguments) }
    let wasOpen = connection != nil
    let first = try opened()
    do throws(Failure) { return try rows(of: sql, arguments, on: first, read) } catch {
      guard place != nil, error.isLost || PostgresRemedy(error) == .reconnect else { throw storeError(error) }
      connection = nil
      guard wasOpen else { throw storeError(error) }
    }
    let second = try opened()
    do throws(Failure) { return try rows(of: sql, arguments, on: second, read) } catch {
      if error.isLost { connection = nil }
      throw storeError(error)
    }
  }

  private func rows<Answer>(
    of sql: String, _ arguments: PostgresArguments, on connection: PostgresConnection, _ read: (PostgresRow) -> Answer
  ) throws(Failure) -> [Answer] {
    let result = try days.ask(sql, arguments, on: connection)
    return (0..<result.count).map { read(PostgresRow(result, $0)) }
  }

  private func opened() throws(StoreError) -> PostgresConnection {
    if let connection { return connection }
    guard let place else {
      throw StoreError(code: .unreachable, message: "the database cannot be reached")
    }
    if let refusal, clock.monotonicNow < refusal.until { throw refusal.error }
    do throws(StoreError) {
      let made = try PostgresInstallation.openToRead(place)
      (connection, refusal) = (made, nil)
      return made
    } catch {
      refusal = (error, clock.monotonicNow + PostgresReader.pause)
      throw error
    }
  }

  private func storeError(_ failure: Failure) -> StoreError {
    StoreError(failure, at: place.flatMap { PostgresURI($0) })
  }
}

/// The value of a parameter, whose type the statement names.
enum PostgresValue {
  case integer(Int64)
  case text(String)
  case uuid(UUID128)
  case integers([Int64])
  case uuids([UUID128])
  case texts([String])

  /// PostgreSQL's name of the type.
  var type: String {
    switch self {
    case .integer: "int8"
    case .text: "text"
    case .uuid: "uuid"
    case .integers: "int8[]"
    case .uuids: "uuid[]"
    case .texts: "text[]"
    }
  }

  fileprivate func add(to arguments: inout PostgresArguments) {
    switch self {
    case .integer(let value): arguments.add(value)
    case .text(let text): arguments.add(text)
    case .uuid(let uuid):
      let bytes = uuid.bytes
      arguments.add(blob: bytes.indices.map { bytes[$0] })
    case .integers(let values): arguments.add(integers: values, of: { $0 })
    case .uuids(let uuids): arguments.add(uuids: uuids, of: { $0 })
    case .texts(let texts):
      var array = PostgresArray(of: .text)
      for text in texts { array.append(text) }
      arguments.add(array)
    }
  }
}

/// A row of a result.
struct PostgresRow {
  private let result: PostgresResult
  private let number: Int

  fileprivate init(_ result: PostgresResult, _ number: Int) { (self.result, self.number) = (result, number) }

  func isNull(_ column: Int) -> Bool { result.isNull(number, column) }
  func integer(_ column: Int) -> Int64 { result.integer(number, column) }
  func optionalInteger(_ column: Int) -> Int64? { result.optionalInteger(number, column) }
  func double(_ column: Int) -> Double { result.optionalDouble(number, column) ?? 0 }
  func optionalDouble(_ column: Int) -> Double? { result.optionalDouble(number, column) }
  func optionalFlag(_ column: Int) -> Bool? { isNull(column) ? nil : result.flag(number, column) }
  func text(_ column: Int) -> String { result.text(number, column) }
  func optionalText(_ column: Int) -> String? { result.optionalText(number, column) }
  func blob(_ column: Int) -> [UInt8] { result.blob(number, column) }
  func uuid(_ column: Int) -> UUID128 { result.identity(number, column) ?? UUID128(high: 0, low: 0) }
}
