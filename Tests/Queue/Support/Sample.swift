import Base
import Queue

/// Records that can be told by a number.
enum Sample {
  /// 2026-11-20T12:00:00Z.
  static let noon = WallInstant(millisecondsSince1970: 1_795_176_000_000)

  static func uuid(_ number: Int) -> UUID128 { UUID128(high: 0xAB00_0000_0000_0000, low: UInt64(number)) }

  static func time(_ seconds: Int) -> WallInstant { noon.advanced(byMilliseconds: Int64(seconds) * 1_000) }

  /// Bytes of different lengths, some longer than a page of the database.
  static func bytes(_ number: Int) -> [UInt8] {
    Array("record \(number) ".utf8) + [UInt8](repeating: UInt8(number % 251), count: number % 7 * 1_000)
  }

  static func number(_ record: QueuedRecord) -> Int { Int(record.uuid.low) }

  /// Whether the record is what was inserted under its number.
  static func isWhole(_ record: QueuedRecord) -> Bool {
    record.uuid == uuid(number(record)) && record.bytes == bytes(number(record))
  }
}

extension DeviceQueue {
  /// A record that is as many seconds younger than noon as its number says, unless told otherwise.
  func insert(_ number: Int, second: Int? = nil) throws -> Int64 {
    let bytes = Sample.bytes(number)
    return try insert(uuid: Sample.uuid(number), timestamp: Sample.time(second ?? number), bytes: bytes.span)
  }

  func lock(_ limit: Int, newestFirst: Bool = false) throws -> [QueuedRecord] {
    var records: [QueuedRecord] = []
    try lock(limit: limit, newestFirst: newestFirst, into: &records)
    return records
  }

  /// The numbers of all rows in insertion order.
  func numbers() throws -> [Int] { try read(limit: .max, offset: 0, newestFirst: false).map(Sample.number) }
}
