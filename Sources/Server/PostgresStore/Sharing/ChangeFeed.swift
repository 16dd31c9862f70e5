import Base
import Database
package import Store

/// The changes of other servers: a connection that gets notifications of their commits, and reads the changes. Used on one
/// thread only.
package final class ChangeFeed {
  private typealias Failure = PostgresConnection.Failure

  private let connection: PostgresConnection
  private var days = SteadyDays()
  /// A reader on the same connection.
  package let reader: PostgresReader
  /// The last record that was read or skipped.
  package private(set) var position = ArrivalCursor(group: 0, row: 0)
  /// Whether there was more than `next` has read.
  package private(set) var isBehind = false

  private static let rowsMax = 2_000

  /// Continues after a position, or begins with new changes.
  package init(to place: String, behind position: ArrivalCursor?) throws(StoreError) {
    connection = try PostgresInstallation.openToRead(place, writes: true)
    reader = PostgresReader(on: connection)
    let schema = try connection.asked("SELECT quote_ident(current_schema())").text(0, 0)
    do throws(Failure) { try connection.run("LISTEN \(schema)") } catch { throw StoreError(error) }
    if let position { self.position = position } else { _ = try skip { false } }
  }

  /// Returns the kinds of changes: of all pending notifications, or of the first to arrive within the time.
  package func wait(milliseconds: Int) throws(StoreError) -> ChangeKinds {
    var kinds: ChangeKinds = []
    do throws(Failure) {
      var told = try connection.notification(within: milliseconds)
      while let text = told {
        let words = text.split(separator: " ")
        // A longer text is from a newer program: anything may have changed.
        kinds.formUnion(words.count == 2 ? Int(words[1]).map { ChangeKinds(rawValue: $0) } ?? .all : .all)
        told = try connection.notification(within: 0)
      }
    } catch { throw StoreError(error) }
    return kinds
  }

  /// Skips the existing records, unless they are wanted by the time that the position is known: records stored later are not
  /// skipped. Returns false when they are wanted.
  package func skip(unless isWanted: () -> Bool) throws(StoreError) -> Bool {
    let horizon = try connection.asked("SELECT arrival_horizon()").integer(0, 0)
    if isWanted() { return false }
    if horizon > position.group { position = ArrivalCursor(group: horizon - 1, row: Int64(Int32.max)) }
    return true
  }

  /// Returns the next records of all servers, in order of arrival, at most `rowsMax`.
  package func next() throws(StoreError) -> [IngestBatch] {
    var arguments = PostgresArguments()
    arguments.add(position.group)
    arguments.add(position.row)
    let sql = """
      SELECT devices.run, devices.name, point.received_at, point.arrived_in, point.n, point.recorded_at, point.uuid,
        point.latitude, point.longitude, point.accuracy, point.speed, point.heading, point.is_moving, point.event, point.record
      FROM points AS point LEFT JOIN devices ON devices.id = point.device
      WHERE point.arrived_in >= $1::int8 AND (point.arrived_in > $1::int8 OR point.n > $2::int8)
        AND point.arrived_in < (SELECT arrival_horizon())
      ORDER BY point.arrived_in, point.n LIMIT \(ChangeFeed.rowsMax)
      """
    let rows: PostgresResult
    do throws(Failure) { rows = try days.ask(sql, arguments, on: connection) } catch { throw StoreError(error) }
    isBehind = rows.count == ChangeFeed.rowsMax
    guard rows.count > 0 else { return [] }
    position = ArrivalCursor(group: rows.integer(rows.count - 1, 3), row: rows.integer(rows.count - 1, 4))
    var batches: [IngestBatch] = []
    var group: Int64?
    for row in 0..<rows.count {
      // The device was deleted meanwhile.
      guard let run = rows.optionalText(row, 0) else { continue }
      let device = DeviceIdentity(run: run, name: rows.text(row, 1))
      let receivedAt = WallInstant(millisecondsSince1970: rows.integer(row, 2))
      if batches.last?.device != device || batches.last?.receivedAt != receivedAt || group != rows.integer(row, 3) {
        batches.append(IngestBatch(device: device, receivedAt: receivedAt, bytes: [], points: []))
        group = rows.integer(row, 3)
      }
      batches[batches.count - 1].append(rows, row)
    }
    return batches
  }

  /// Returns the documents that the servers share.
  package func documents() throws(StoreError) -> [SharedDocuments.Document] {
    let rows = try connection.asked("SELECT kind, run, bytes, change FROM documents ORDER BY change")
    return (0..<rows.count).map { row in
      SharedDocuments.Document(
        kind: rows.text(row, 0), run: rows.text(row, 1), bytes: rows.blob(row, 2), change: rows.integer(row, 3))
    }
  }

  /// Returns the secret that all servers share under this name; nil when there is none.
  package func secret(_ name: String) throws(StoreError) -> [UInt8]? {
    do throws(Failure) { return try SharedSecret.read(name, on: connection) } catch { throw StoreError(error) }
  }

  /// Returns the number of records that wait for each sink, counted up to a hundred thousand, and since when.
  package func lags(of sinks: [String]) throws(StoreError) -> [String: SinkLag] {
    guard !sinks.isEmpty else { return [:] }
    var names = PostgresArray(of: .text)
    for sink in sinks { names.append(sink) }
    var arguments = PostgresArguments()
    arguments.add(names)
    let rows = try connection.asked(
      """
      SELECT name, waiting.records, waiting.since FROM sinks CROSS JOIN LATERAL (
        SELECT count(*) AS records, min(received_at) AS since FROM (SELECT received_at FROM points AS point
          WHERE point.arrived_in >= sinks.arrived_in AND (point.arrived_in > sinks.arrived_in OR point.n > sinks.n)
          ORDER BY arrived_in, n LIMIT 100000) AS oldest) AS waiting
      WHERE name = ANY($1::text[])
      """, arguments)
    let lags = (0..<rows.count).map { row in
      (
        rows.text(row, 0),
        SinkLag(records: rows.integer(row, 1), since: rows.isNull(row, 2) ? nil : rows.integer(row, 2))
      )
    }
    return Dictionary(lags) { first, _ in first }
  }
}

extension ChangeKinds {
  package static let documents = ChangeKinds(rawValue: 32)
  package static let all = ChangeKinds(rawValue: .max)
}

extension IngestBatch {
  /// Appends a row of the query above.
  fileprivate mutating func append(_ rows: PostgresResult, _ row: Int) {
    let record = rows.blob(row, 14)
    let id = rows.uuid(row, 6) ?? (0, 0)
    points.append(
      Point(
        recordedAt: rows.integer(row, 5), uuid: UUID128(high: id.high, low: id.low),
        latitude: rows.optionalDouble(row, 7),
        longitude: rows.optionalDouble(row, 8), accuracy: rows.optionalDouble(row, 9),
        speed: rows.optionalDouble(row, 10),
        heading: rows.optionalDouble(row, 11), isMoving: rows.isNull(row, 12) ? nil : rows.flag(row, 12),
        event: rows.optionalText(row, 13), record: bytes.count..<bytes.count + record.count))
    bytes += record
  }
}

extension PostgresConnection {
  /// Runs one statement; a failure becomes a store error.
  func asked(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) throws(StoreError) -> PostgresResult {
    do throws(Failure) { return try perform(sql, arguments) } catch { throw StoreError(error) }
  }
}

extension StoreError {
  init(_ failure: PostgresConnection.Failure) {
    self.init(code: .unreachable, message: "the database cannot be used: \(failure.message)")
  }
}
