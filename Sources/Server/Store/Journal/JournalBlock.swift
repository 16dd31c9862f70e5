import Base

/// Consecutive entries as bytes, in the form in which they are queued and stored. Each entry is a head of fixed width, which a
/// search uses to skip it, and its texts:
///
/// ```
/// 4  its number, counted from the first entry of the block
/// 8  received   8  duration   4  status, and in its highest bit whether the body is whole
/// 4  × 8  lengths of run, device, method, path, head, body, answer, fault; 2³² − 1 for nil
/// ```
///
/// Numbers are little-endian.
package struct JournalBlock: Sendable {
  package private(set) var bytes: [UInt8] = []
  package private(set) var count = 0
  /// A Bloom filter of the runs: one bit per run, which several runs may share.
  private(set) var runs: UInt64 = 0

  static let headBytes = 4 + 8 + 8 + 4 + 8 * 4
  static let none = UInt32.max
  static let statusBits = UInt32.max >> 1

  package init() {}

  /// Returns the size of an entry.
  static func byteCount(_ entry: JournalEntry) -> Int {
    let names = entry.run.utf8.count + (entry.device?.utf8.count ?? 0) + (entry.fault?.utf8.count ?? 0)
    let line = entry.method.utf8.count + entry.path.utf8.count
    return headBytes + names + line + entry.head.count + entry.body.count + entry.answer.count
  }

  static func bit(ofRun run: String) -> UInt64 {
    1 << (FNV1a.hash(run) >> 58)
  }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  /// `number` counts from the first entry of the block and must increase.
  mutating func append(_ entry: JournalEntry, number: Int) {
    bytes.append(addingCapacity: JournalBlock.headBytes) { head in
      head.append(littleEndian: UInt32(number))
      head.append(littleEndian: entry.receivedAt)
      head.append(littleEndian: entry.durationMicroseconds)
      let status = UInt32(truncatingIfNeeded: entry.status) & JournalBlock.statusBits
      head.append(littleEndian: entry.isBodyWhole ? status | ~JournalBlock.statusBits : status)
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

/// Reads the entries of a stored block without copying those that are not needed.
struct JournalBlockReader: ~Copyable, ~Escapable {
  /// The head values of an entry, and the ranges of its texts.
  struct Place {
    let number: Int
    let receivedAt: Int64
    let durationMicroseconds: Int64
    let status: Int
    let isBodyWhole: Bool
    /// The ranges of run, device, method, path, head, body, answer and fault; nil for absent ones.
    let texts: InlineArray<8, Range<Int>?>

    var run: Range<Int>? { texts[0] }
    var device: Range<Int>? { texts[1] }
    var path: Range<Int>? { texts[3] }
  }

  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Returns nil after the last entry. Throws when the bytes are not entries, as in a damaged file.
  mutating func next() throws(JournalError) -> Place? {
    guard offset < bytes.count else { return nil }
    guard bytes.count - offset >= JournalBlock.headBytes else { throw JournalError() }
    let number = Int(read() as UInt32)
    let receivedAt: Int64 = read()
    let duration: Int64 = read()
    let status: UInt32 = read()
    let lengths = InlineArray<8, UInt32> { _ in read() }
    var texts = InlineArray<8, Range<Int>?>(repeating: nil)
    for index in lengths.indices where lengths[index] != JournalBlock.none {
      let length = Int(lengths[index])
      guard length <= bytes.count - offset else { throw JournalError() }
      texts[index] = offset..<offset + length
      offset += length
    }
    return Place(
      number: number, receivedAt: receivedAt, durationMicroseconds: duration,
      status: Int(status & JournalBlock.statusBits), isBodyWhole: status > JournalBlock.statusBits, texts: texts)
  }

  /// Returns the latest arrival time in a block. Entries are in the order of their answers, so a slow request comes after
  /// others that arrived later.
  static func last(of block: Span<UInt8>) -> Int64 {
    var reader = JournalBlockReader(block)
    var last = Int64.min
    do throws(JournalError) {
      while let place = try reader.next() { last = max(last, place.receivedAt) }
    } catch {
      // In a damaged block that is being deleted, the readable entries count.
    }
    return last
  }

  func matches(_ place: Place, _ filter: JournalFilter) -> Bool {
    if let status = filter.status, place.status != status { return false }
    if let run = filter.run, !isEqual(place.run, run) { return false }
    if let device = filter.device, !isEqual(place.device, device) { return false }
    guard let prefix = filter.pathPrefix, let path = place.path else { return true }
    return isEqual(path.prefix(prefix.utf8.count), prefix)
  }

  func entry(at place: Place) -> JournalEntry {
    JournalEntry(
      run: text(place.texts[0]) ?? "", device: text(place.texts[1]), receivedAt: place.receivedAt,
      durationMicroseconds: place.durationMicroseconds, method: text(place.texts[2]) ?? "",
      path: text(place.texts[3]) ?? "", status: place.status, head: copy(place.texts[4]), body: copy(place.texts[5]),
      isBodyWhole: place.isBodyWhole, answer: copy(place.texts[6]), fault: text(place.texts[7]))
  }

  private func isEqual(_ range: Range<Int>?, _ text: String) -> Bool {
    guard let range, range.count == text.utf8.count else { return false }
    var index = range.lowerBound
    for byte in text.utf8 {
      guard bytes[index] == byte else { return false }
      index += 1
    }
    return true
  }

  private func text(_ range: Range<Int>?) -> String? { range.map { String(decoding: copy($0), as: UTF8.self) } }

  private func copy(_ range: Range<Int>?) -> [UInt8] {
    guard let range else { return [] }
    return [UInt8](capacity: range.count) { target in
      for index in range { target.append(bytes[index]) }
    }
  }

  private mutating func read<Number: FixedWidthInteger>() -> Number {
    var number: Number = 0
    for index in 0..<Number.bitWidth / 8 {
      number |= Number(truncatingIfNeeded: bytes[offset + index]) << Number(index * 8)
    }
    offset += Number.bitWidth / 8
    return number
  }
}

/// A request and its answer.
package struct JournalEntry: Equatable, Sendable {
  package var run: String
  /// The name of the device; nil when the request named none.
  package var device: String?
  /// Milliseconds since 1970.
  package var receivedAt: Int64
  /// From the first byte read to the last byte written.
  package var durationMicroseconds: Int64
  package var method: String
  package var path: String
  package var status: Int
  /// The header fields of the request as received, without secrets.
  package var head: [UInt8]
  package var body: [UInt8]
  /// Whether the body arrived and is stored completely.
  package var isBodyWhole: Bool
  package var answer: [UInt8]
  /// The name of the injected fault, if any.
  package var fault: String?

  /// The number of bytes kept of a body or an answer.
  package static let contentBytesMax = 16_384

  package init(
    run: String = "", device: String? = nil, receivedAt: Int64, durationMicroseconds: Int64 = 0, method: String,
    path: String, status: Int, head: [UInt8] = [], body: [UInt8] = [], isBodyWhole: Bool = true,
    answer: [UInt8] = [], fault: String? = nil
  ) {
    self.run = run
    self.device = device
    self.receivedAt = receivedAt
    self.durationMicroseconds = durationMicroseconds
    self.method = method
    self.path = path
    self.status = status
    self.head = head
    self.body = body
    self.isBodyWhole = isBodyWhole
    self.answer = answer
    self.fault = fault
  }
}
