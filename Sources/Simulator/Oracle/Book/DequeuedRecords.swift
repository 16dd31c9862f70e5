import BackendStore
import Base
import Contract
import Store

/// A record that has left its queue. Until a real server is queried at the end, there is one for each uploaded record, so
/// its size is minimal.
struct DequeuedRecord {
  let uuid: UUID128
  let timestamp: WallInstant
  let createdAt: MonotonicInstant
  let at: MonotonicInstant
  let mark: UInt64
  /// The request whose answer made the device delete the record; 0: it left for another reason, so that the
  /// server need not have it.
  private(set) var request: UInt64 = 0
  let device: UInt32
  private(set) var status: Int16 = 0
  let attempts: UInt16
  let arrivals: UInt16
  private(set) var marks: Marks = []
  /// The number of records in that request.
  private(set) var requestRecords: UInt16 = 0
  let traits: RecordTraits

  struct Marks: OptionSet {
    let rawValue: UInt8

    /// The device took an answer for an acknowledgement.
    static let isAcknowledged = Marks(rawValue: 1)
    /// The answer came from the server itself, not from a captive portal.
    static let isServers = Marks(rawValue: 2)
    /// A fault of the scenario may have answered in the server's place.
    static let isExplained = Marks(rawValue: 4)
    /// The request held other records before it.
    static let follows = Marks(rawValue: 8)
    /// The request held other records after it.
    static let precedes = Marks(rawValue: 16)
    /// A fault of the scenario made it, so that a server may quarantine it.
    static let isInvalid = Marks(rawValue: 32)
  }

  init(_ record: WaitingRecord, of device: Int, at instant: MonotonicInstant) {
    (uuid, timestamp, createdAt, at) = (record.uuid, record.timestamp, record.createdAt, instant)
    (mark, attempts, arrivals, traits) = (record.mark, record.attempts, record.arrivals, record.traits)
    self.device = UInt32(device)
    if record.isInvalid { marks.insert(.isInvalid) }
  }

  /// Takes the answer that the device has read; nil: deleted before any answer.
  mutating func take(_ answer: ReadAnswer?, row: Int64) {
    marks.insert(.isAcknowledged)
    guard let answer else { return _ = marks.insert(.isServers) }
    (request, status) = (answer.request, Int16(clamping: answer.status))
    if answer.isServers { marks.insert(.isServers) }
    if answer.isExplained { marks.insert(.isExplained) }
    requestRecords = UInt16(clamping: answer.rows.count)
    guard let place = answer.rows.firstIndex(of: row) else { return }
    if place > 0 { marks.insert(.follows) }
    if place < answer.rows.count - 1 { marks.insert(.precedes) }
  }

  var key: PointKey { PointKey(recordedAt: timestamp.millisecondsSince1970, uuid: uuid) }
}

/// The properties of a record that are needed when its server is queried; known where an external server is queried.
struct RecordTraits {
  /// The position of the sent content in the reader; 0 without content, or where contents are not compared. In runs against
  /// the in-process server the contents would take most of the memory of waiting records.
  fileprivate(set) var content: UInt32 = 0
  /// The index of the event's name in the reader; 0 for a plain location.
  var event: UInt16 = 0
  /// Whether another record of the device has the same timestamp.
  var sharesInstant = false
}

/// Reads the properties of a record that are compared.
struct RecordTraitsReader {
  /// Whether the server shows positions.
  let comparesContents: Bool
  /// The events that were seen; nil is the plain location.
  private(set) var events: [String?] = [nil]
  private var contents = BlockList<RecordContent>()
  private let decoder = RecordDecoder()

  init(comparesContents: Bool) { self.comparesContents = comparesContents }

  mutating func read(_ bytes: [UInt8]) -> RecordTraits {
    var traits = RecordTraits()
    // Most records name no event and need not be decoded.
    guard comparesContents || bytes.span.contains("\"event\"") else { return traits }
    do throws(RecordProblem) {
      let record = try decoder.decode(bytes.span)
      if let name = record.event?.name { traits.event = number(of: name) }
    } catch { traits = RecordTraits() }
    if comparesContents, let content = RecordContent(sent: bytes), contents.count < UInt32.max {
      contents.append(content)
      traits.content = UInt32(contents.count)
    }
    return traits
  }

  /// Returns the sent content; nil where contents are not compared.
  func content(of traits: RecordTraits) -> RecordContent? {
    traits.content == 0 ? nil : contents[Int(traits.content) - 1]
  }

  private mutating func number(of name: String) -> UInt16 {
    if let index = events.firstIndex(of: name) { return UInt16(index) }
    guard events.count < Int(UInt16.max) else { return 0 }
    events.append(name)
    return UInt16(events.count - 1)
  }
}

/// A very long list in order of insertion, stored in blocks so that appending never moves elements.
struct BlockList<Element>: RandomAccessCollection {
  private var blocks: [ContiguousArray<Element>] = []
  private(set) var endIndex = 0
  let startIndex = 0

  private static var blockShift: Int { 12 }

  subscript(index: Int) -> Element { blocks[index >> Self.blockShift][index & (1 << Self.blockShift - 1)] }

  mutating func append(_ element: Element) {
    let block = endIndex >> Self.blockShift
    if block == blocks.count { blocks.append([]) }
    blocks[block].append(element)
    endIndex += 1
  }

  mutating func removeAll() {
    blocks = []
    endIndex = 0
  }
}

extension BlockList<DequeuedRecord> {
  /// The indices, grouped by device and sorted by identity.
  var byDevice: [Int] {
    indices.sorted { first, second in
      let (first, second) = (self[first], self[second])
      return (first.device, first.uuid) < (second.device, second.uuid)
    }
  }
}
