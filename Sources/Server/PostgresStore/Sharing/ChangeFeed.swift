import Base
import Database
package import Store

/// What other servers do to the store: a connection that hears of their commits, and reads what they brought. Belongs to one thread.
package final class ChangeFeed {
  private typealias Failure = PostgresConnection.Failure

  private let connection: PostgresConnection
  private var days = SteadyDays()
  /// On the same connection.
  package let reader: PostgresReader
  /// The last record that was read or passed over.
  package private(set) var position = ArrivalCursor(group: 0, row: 0)
  /// There was more than `next` has read.
  package private(set) var isBehind = false

  private static let rowsMax = 2_000

  /// Goes on behind a position, or begins with what comes.
  package init(to place: String, behind position: ArrivalCursor?) throws(StoreError) {
    connection = try PostgresInstallation.openToRead(place, writes: true)
    reader = PostgresReader(on: connection)
    let schema = try connection.asked("SELECT quote_ident(current_schema())").text(0, 0)
    do throws(Failure) { try connection.run("LISTEN \(schema)") } catch { throw StoreError(error) }
    if let position { self.position = position } else { _ = try skip { false } }
  }

  /// What has changed: all that was told until now, or what comes first within the time.
  package func wait(milliseconds: Int) throws(StoreError) -> ChangeKinds {
    var kinds: ChangeKinds = []
    do throws(Failure) {
      var told = try connection.notification(within: milliseconds)
      while let text = told {
        let words = text.split(separator: " ")
        // A longer text is that of a newer program: all may have changed.
        kinds.formUnion(words.count == 2 ? Int(words[1]).map { ChangeKinds(rawValue: $0) } ?? .all : .all)
        told = try connection.notification(within: 0)
      }
    } catch { throw StoreError(error) }
    return kinds
  }

  /// Passes over what is there, unless it is wanted by the time that this is known: what is stored from then on is not passed over.
  /// False where it is wanted.
  package func skip(unless isWanted: () -> Bool) throws(StoreError) -> Bool {
    let horizon = try connection.asked("SELECT arrival_horizon()").integer(0, 0)
    if isWanted() { return false }
    if horizon > position.group { position = ArrivalCursor(group: horizon - 1, row: Int64(Int32.max)) }
    return true
  }

  /// What has arrived since, from all servers, in the order of arrival. At most so many records.
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
      // Its device was deleted meanwhile.
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

  /// What the servers have set for each other.
  package func documents() throws(StoreError) -> [SharedDocuments.Document] {
    let rows = try connection.asked("SELECT kind, run, bytes, change FROM documents ORDER BY change")
    return (0..<rows.count).map { row in
      SharedDocuments.Document(
        kind: rows.text(row, 0), run: rows.text(row, 1), bytes: rows.blob(row, 2), change: rows.integer(row, 3))
    }
  }

  /// What all servers keep under this name; nil: nothing.
  package func secret(_ name: String) throws(StoreError) -> [UInt8]? {
    do throws(Failure) { return try SharedSecret.read(name, on: connection) } catch { throw StoreError(error) }
  }

  /// How many records wait for each sink, counted up to a hundred thousand, and since when.
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
  /// A row of the question above.
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
  /// One statement; what went wrong in the words of a store.
  func asked(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) throws(StoreError) -> PostgresResult {
    do throws(Failure) { return try perform(sql, arguments) } catch { throw StoreError(error) }
  }
}

extension StoreError {
  init(_ failure: PostgresConnection.Failure) {
    self.init(code: .unreachable, message: "the database cannot be used: \(failure.message)")
  }
}
