/// Consecutive entries as bytes, the form in which they wait and in which they are stored. Each entry is a head of fixed
/// width, by which a search skips it, and its texts:
///
/// ```
/// 4  its number, counted from the first entry of the block
/// 8  received   8  duration   4  status
/// 4  × 8  lengths of run, device, method, path, head, body, answer, fault; 2³² − 1 for nil
/// ```
///
/// Numbers are little-endian.
package struct JournalBlock: Sendable {
  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0
  /// A bit for each run that is in it; several runs may share a bit.
  private(set) var runs: UInt64 = 0

  static let headBytes = 4 + 8 + 8 + 4 + 8 * 4
  static let none = UInt32.max

  package init() {}

  /// What the entry will take.
  static func byteCount(_ entry: JournalEntry) -> Int {
    let names = entry.run.utf8.count + (entry.device?.utf8.count ?? 0) + (entry.fault?.utf8.count ?? 0)
    let line = entry.method.utf8.count + entry.path.utf8.count
    return headBytes + names + line + entry.head.count + entry.body.count + entry.answer.count
  }

  static func bit(ofRun run: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in run.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return 1 << (hash >> 58)
  }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  /// `number` counts from the first entry of the block, in ascending order.
  mutating func append(_ entry: JournalEntry, number: Int) {
    bytes.append(addingCapacity: JournalBlock.headBytes) { head in
      head.append(littleEndian: UInt32(number))
      head.append(littleEndian: entry.receivedAt)
      head.append(littleEndian: entry.durationMicroseconds)
      head.append(littleEndian: UInt32(truncatingIfNeeded: entry.status))
      head.append(littleEndian: UInt32(entry.run.utf8.count))
      head.append(littleEndian: entry.device.map { UInt32($0.utf8.count) } ?? JournalBlock.none)
      head.append(littleEndian: UInt32(entry.method.utf8.count))
      head.append(littleEndian: UInt32(entry.path.utf8.count))
      head.append(littleEndian: UInt32(entry.head.count))
      head.append(littleEndian: UInt32(entry.body.count))
      head.append(littleEndian: UInt32(entry.answer.count))
      head.append(littleEndian: entry.fault.map { UInt32($0.utf8.count) } ?? JournalBlock.none)
    }
    bytes.append(contentsOf: entry.run.utf8)
    if let device = entry.device { bytes.append(contentsOf: device.utf8) }
    bytes.append(contentsOf: entry.method.utf8)
    bytes.append(contentsOf: entry.path.utf8)
    bytes.append(contentsOf: entry.head)
    bytes.append(contentsOf: entry.body)
    bytes.append(contentsOf: entry.answer)
    if let fault = entry.fault { bytes.append(contentsOf: fault.utf8) }
    count += 1
    runs |= JournalBlock.bit(ofRun: entry.run)
  }
}

extension OutputSpan<UInt8> {
  @_lifetime(self: copy self)
  fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> Number(index * 8))) }
  }
}
