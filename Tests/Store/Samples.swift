import Base
import Store
import Testing

/// Builders with defaults, so that a test says only what it is about.
enum Sample {
  /// 2026-11-20T12:00:00Z.
  static let noon = WallInstant(millisecondsSince1970: 1_795_176_000_000)
  static let minute: Int64 = 60_000
  static let day: Int64 = 86_400_000

  static func device(_ number: Int = 1, run: String = "") -> DeviceIdentity {
    DeviceIdentity(run: run, name: "device-\(number)")
  }

  static func uuid(_ number: Int) -> UUID128 { UUID128(high: 0xAB00_0000_0000_0000, low: UInt64(number)) }

  static func batch(
    _ numbers: [Int], at time: (Int) -> Int64 = { noon.millisecondsSince1970 + Int64($0) },
    received: WallInstant = noon, parameters: String = ""
  ) -> IngestBatch {
    batch(device(), numbers, at: time, received: received, parameters: parameters)
  }

  /// A batch whose records are the texts `record N`.
  static func batch(
    _ device: DeviceIdentity, _ numbers: [Int],
    at time: (Int) -> Int64 = { noon.millisecondsSince1970 + Int64($0) }, received: WallInstant = noon,
    parameters: String = ""
  ) -> IngestBatch {
    var bytes: [UInt8] = []
    let points = numbers.map { number in
      let start = bytes.count
      bytes.append(contentsOf: "record \(number)".utf8)
      return Point(
        recordedAt: time(number), uuid: uuid(number), latitude: Double(number), longitude: 1, event: "motionchange",
        record: start..<bytes.count)
    }
    return IngestBatch(
      device: device, receivedAt: received, parameters: Array(parameters.utf8), bytes: bytes, points: points)
  }
}

extension SQLiteStore {
  /// The reader of a store that must be open.
  func open() throws -> SQLiteReader { try #require(reader) }
}

extension Store {
  /// One job in a group of its own.
  func apply(_ job: StoreJob, now: WallInstant = Sample.noon) -> StoreResult { apply([job], now: now)[0] }

  /// Upkeep until there is none.
  func settle(now: WallInstant = Sample.noon) {
    while maintain(now: now) {}
  }

  /// Answers of a batch, in short: accepted, duplicate, quarantined.
  func ingest(_ batch: IngestBatch, now: WallInstant = Sample.noon) -> [Int]? {
    guard case .ingested(let receipt) = apply(.ingest(batch), now: now) else { return nil }
    return [receipt.accepted, receipt.duplicate, receipt.quarantined]
  }
}

/// All pages of an answer, glued. Each is a step behind the last one.
func glued<Element: Sendable, Cursor: Equatable & Sendable>(
  _ page: (Cursor?) throws -> Page<Element, Cursor>
) throws -> [Element] {
  var elements: [Element] = []
  var cursor: Cursor?
  repeat {
    let found = try page(cursor)
    try #require(found.next == nil || found.next != cursor, "a page that is no step")
    elements += found.elements
    cursor = found.next
  } while cursor != nil
  return elements
}

extension StoreReader {
  func wholeHistory(
    of device: DeviceIdentity, from: Int64 = .min, to: Int64 = .max, pages: Int = 7
  ) throws -> [StoredPoint] {
    try glued { (cursor: PointCursor?) in
      let cursor = try cursor.map { try PointCursor(text: $0.text) }
      return try history(of: device, from: from, to: to, after: cursor, limit: pages)
    }
  }

  func allKeys(run: String = "", device: DeviceIdentity? = nil) throws -> [StoredKey] {
    try glued { (cursor: ArrivalCursor?) in
      try keys(run: run, device: device, after: try cursor.map { try ArrivalCursor(text: $0.text) })
    }
  }

  func allArrivals(_ selection: RecordSelection, behind start: ArrivalCursor? = nil, pages: Int) throws
    -> [ArrivedRecord]
  {
    try glued { (cursor: ArrivalCursor?) in
      let page = try arrivals(selection, after: cursor ?? start, limit: pages)
      #expect(page.elements.count <= pages)
      return page
    }
  }
}
