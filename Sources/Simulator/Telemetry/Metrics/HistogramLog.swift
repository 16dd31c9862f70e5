import Base
import FleetSimulator
import Gzip

/// The trends of a run as a histogram log, version 1.3, for the tools of HdrHistogram: a line for each interval and trend
/// with the values of that interval, in the compressed form V2. Times are in microseconds.
final class HistogramLog: MetricsSink {
  let interval: Nanoseconds
  private let write: ([UInt8]) -> Void
  /// The histogram of each trend at the end of the last interval.
  private var previous: [String: Histogram] = [:]
  private var begun = MonotonicInstant(nanoseconds: 0)

  /// `write` receives whole lines.
  init(_ setup: RunSetup, interval: Nanoseconds, version: String, write: @escaping ([UInt8]) -> Void) {
    self.interval = interval
    self.write = write
    let seconds = HistogramLog.decimal(Double(setup.start.millisecondsSince1970) / 1_000)
    let head = """
      #[Logged with Rolling Road \(version)]
      #[Histogram log format version 1.3]
      #[StartTime: \(seconds) (seconds since epoch), \(setup.start.iso8601Text)]
      "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"

      """
    write(Array(head.utf8))
  }

  func take(_ readings: [MetricReading], at instant: MonotonicInstant, isLast: Bool) {
    let start = HistogramLog.decimal((begun - MonotonicInstant(nanoseconds: 0)).seconds)
    let length = HistogramLog.decimal((instant - begun).seconds)
    begun = instant
    let hasFleets = Set(readings.compactMap(\.fleet)).count > 1
    var lines = ""
    for reading in readings {
      guard case .trend(let spread) = reading.figure, spread.histogram.count > 0 else { continue }
      let tag = HistogramLog.tag(reading.name, hasFleets ? reading.fleet : nil)
      let growth = spread.histogram.growth(since: previous[tag])
      previous[tag] = spread.histogram
      guard let last = growth.last else { continue }
      let greatest = HistogramLog.decimal(Double(last.values.upperBound) / spread.resolution)
      let packed = HistogramLog.pack(growth, upTo: spread.histogram.highestTrackableValue)
      lines += "Tag=\(tag),\(start),\(length),\(greatest),\(Base64.text(packed))\n"
    }
    if !lines.isEmpty { write(Array(lines.utf8)) }
  }

  /// Commas and white space would end the tag.
  private static func tag(_ name: String, _ fleet: String?) -> String {
    let text = fleet.map { "\(name){fleet:\($0)}" } ?? name
    return String(text.map { $0 == "," || $0.isWhitespace ? "_" : $0 })
  }

  private static func decimal(_ seconds: Double) -> String {
    let thousandths = Int64((seconds * 1_000).rounded())
    return "\(thousandths / 1_000).\((thousandths % 1_000).zeroPadded(to: 3))"
  }

  private static let cookie: UInt32 = 0x1C84_9303 | 0x10
  private static let packedCookie: UInt32 = 0x1C84_9304 | 0x10

  /// Returns the compressed payload with its header.
  static func pack(_ slots: [Histogram.FilledSlot], upTo highest: UInt64) -> [UInt8] {
    let packed = ZlibStream.pack(payload(of: slots, upTo: highest))
    var bytes: [UInt8] = []
    bytes.append(bigEndian: packedCookie)
    bytes.append(bigEndian: UInt32(packed.count))
    return bytes + packed
  }

  /// Returns the payload in the layout of the reference implementation, `EncodableHistogram` V2.
  static func payload(of slots: [Histogram.FilledSlot], upTo highest: UInt64) -> [UInt8] {
    let counts = counts(of: slots)
    var payload: [UInt8] = []
    payload.append(bigEndian: cookie)
    payload.append(bigEndian: UInt32(counts.count))
    // The normalizing index offset, and the number of significant digits.
    payload.append(bigEndian: UInt32(0))
    payload.append(bigEndian: UInt32(3))
    payload.append(bigEndian: UInt64(1))
    payload.append(bigEndian: highest)
    payload.append(bigEndian: Double(1).bitPattern)
    return payload + counts
  }

  /// Returns the encoded counts: a positive number for a count, a negative one for a run of empty slots, and zero for a
  /// single empty slot.
  private static func counts(of slots: [Histogram.FilledSlot]) -> [UInt8] {
    var (bytes, next): ([UInt8], Int) = ([], 0)
    for slot in slots {
      let gap = slot.index - next
      if gap > 0 { bytes.append(zigzag: gap == 1 ? 0 : -Int64(gap)) }
      bytes.append(zigzag: Int64(slot.count))
      next = slot.index + 1
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append<Word: FixedWidthInteger>(bigEndian word: Word) {
    for shift in stride(from: Word.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: word >> Word(shift)))
    }
  }

  /// Appends LEB128 of at most nine bytes, the last of which has eight bits.
  fileprivate mutating func append(zigzag value: Int64) {
    var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
    for _ in 0..<8 {
      guard rest >= 0x80 else { return append(UInt8(rest)) }
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
