import Base
import Database
import Store

/// The records of a set of jobs: the columns of one statement, and which records were new. Their numbers within the transaction
/// give the order of arrival.
final class PointRows {
  private var recordedAt = PostgresArray(of: .int64)
  private var device = PostgresArray(of: .int64)
  private var receivedAt = PostgresArray(of: .int64)
  private var latitude = PostgresArray(of: .double)
  private var longitude = PostgresArray(of: .double)
  private var accuracy = PostgresArray(of: .double)
  private var speed = PostgresArray(of: .double)
  private var heading = PostgresArray(of: .double)
  private var uuid = PostgresArray(of: .uuid)
  private var parameter = PostgresArray(of: .int32)
  private var isMoving = PostgresArray(of: .bool)
  private var event = PostgresArray(of: .text)
  private var record = PostgresArray(of: .bytes)
  private var texts = ParameterTexts()

  /// The number of the first of these records.
  private let first: Int
  /// The numbers of the new records; nil when all were new.
  private var new: Set<Int64>?

  init(first: Int) { self.first = first }

  var count: Int { recordedAt.count }

  /// Adds the records of a batch and returns the number of the first.
  func add(_ batch: IngestBatch, device id: Int64) -> Int {
    let start = first + count
    let received = batch.receivedAt.millisecondsSince1970
    for point in batch.points {
      recordedAt.append(point.recordedAt)
      device.append(id)
      receivedAt.append(received)
      latitude.append(point.latitude)
      longitude.append(point.longitude)
      accuracy.append(point.accuracy)
      speed.append(point.speed)
      heading.append(point.heading)
      uuid.append(uuidHigh: point.uuid.high, low: point.uuid.low)
      if batch.parameters.isEmpty {
        parameter.appendNull()
      } else {
        parameter.append(texts.place(of: batch.parameters, day: point.recordedAt / Day.milliseconds))
      }
      isMoving.append(point.isMoving)
      event.append(point.storedEvent)
      record.append(blob: batch.bytes[point.record])
    }
    return start
  }

  func isNew(_ number: Int) -> Bool { new?.contains(Int64(number)) ?? true }

  /// `arrival` is the number of the transaction.
  func write(_ round: PostgresRound, arrival: Int64) throws(PostgresRound.Failure) {
    guard count > 0 else { return }
    try texts.write(round)
    var arguments = PostgresArguments()
    for column in [
      recordedAt, device, receivedAt, latitude, longitude, accuracy, speed, heading, uuid, parameter, isMoving, event,
      record,
    ] { arguments.add(column) }
    arguments.add(texts.all)
    arguments.add(arrival)
    arguments.add(Int64(first))
    try round.send(Self.insertion, arguments) { [self] result in
      if result.integer(0, 0) < Int64(count) { new = Set(result.integers(0, 1)) }
    }
  }

  /// When a key exists, the first content stays. Usually all are new, and then their numbers need not be returned.
  private static let insertion = """
    WITH new AS (
      INSERT INTO points(recorded_at, device, received_at, arrived_in, latitude, longitude, accuracy, speed, heading, uuid,
        parameters, n, is_moving, event, record)
      SELECT recorded_at, device, received_at, $15::int8, latitude, longitude, accuracy, speed, heading, uuid,
        (SELECT array_agg(\(ParameterTexts.digest) ORDER BY place) FROM unnest($14::bytea[]) WITH ORDINALITY AS texts(json, place))
          [parameter],
        $16::int8 + place - 1, is_moving, event, record
      FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
        $9::uuid[], $10::int4[], $11::bool[], $12::text[], $13::bytea[]) WITH ORDINALITY
        AS new(recorded_at, device, received_at, latitude, longitude, accuracy, speed, heading, uuid, parameter, is_moving,
          event, record, place)
      ON CONFLICT DO NOTHING RETURNING n)
    SELECT count(*), CASE WHEN count(*) < cardinality($1::int8[]) THEN array_agg(n) END FROM new
    """
}

/// The parameters of requests: each text is stored once per day.
private struct ParameterTexts {
  private struct Key: Hashable {
    let text: Int32
    let day: Int64
  }

  /// The digest of `json` in the tables.
  static let digest = "encode(substr(sha256(json), 1, 16), 'hex')::uuid"

  /// The distinct texts.
  private(set) var all = PostgresArray(of: .bytes)
  private var places: [[UInt8]: Int32] = [:]
  private var rows: Set<Key> = []
  private var days = PostgresArray(of: .int64)
  private var texts = PostgresArray(of: .bytes)
  private var last: (text: [UInt8], place: Int32, day: Int64)?

  /// Returns the index of the text in `all`, from 1.
  mutating func place(of text: [UInt8], day: Int64) -> Int32 {
    if let last, last.day == day, last.text == text { return last.place }
    let place = places[text] ?? Int32(places.count + 1)
    if places.updateValue(place, forKey: text) == nil { all.append(blob: text) }
    if rows.insert(Key(text: place, day: day)).inserted {
      days.append(day)
      texts.append(blob: text)
    }
    last = (text, place, day)
    return place
  }

  /// Writes in a fixed order, so that nodes that write the same texts do not deadlock.
  func write(_ round: PostgresRound) throws(PostgresRound.Failure) {
    guard days.count > 0 else { return }
    var arguments = PostgresArguments()
    arguments.add(days)
    arguments.add(texts)
    try round.send(
      """
      INSERT INTO parameters SELECT day, \(Self.digest) AS digest, json FROM unnest($1::int8[], $2::bytea[]) AS new(day, json)
      ORDER BY day, digest ON CONFLICT DO NOTHING
      """, arguments)
  }
}

/// Invalid records of a set of jobs.
final class QuarantineRows {
  private struct Key: Hashable {
    let device: Int64
    let identity: UUID128
  }

  private var device: [Int64] = []
  private var items: [QuarantinedItem] = []
  private var received: [Int64] = []
  private var records = PostgresArray(of: .bytes)
  private var new: Set<Key> = []

  func add(_ batch: IngestBatch, device id: Int64) {
    for item in batch.quarantined {
      device.append(id)
      items.append(item)
      received.append(batch.receivedAt.millisecondsSince1970)
      records.append(blob: batch.bytes[item.record])
    }
  }

  /// Returns true once for each record that was not quarantined before.
  func takeNew(_ item: QuarantinedItem, device id: Int64) -> Bool {
    new.remove(Key(device: id, identity: item.identity)) != nil
  }

  func write(_ round: PostgresRound) throws(PostgresRound.Failure) {
    guard !items.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: device, of: { $0 })
    arguments.add(uuids: items, of: { $0.identity })
    arguments.add(integers: received, of: { $0 })
    arguments.add(texts: items, of: { $0.reason })
    arguments.add(texts: items, of: { $0.detail })
    arguments.add(records)
    try round.send(
      """
      INSERT INTO quarantine(device, identity, received, reason, detail, record)
      SELECT * FROM unnest($1::int8[], $2::uuid[], $3::int8[], $4::text[], $5::text[], $6::bytea[])
      ON CONFLICT DO NOTHING RETURNING device, identity
      """, arguments
    ) { [self] result in
      for row in 0..<result.count {
        guard let identity = result.identity(row, 1) else { continue }
        new.insert(Key(device: result.integer(row, 0), identity: identity))
      }
    }
  }
}
