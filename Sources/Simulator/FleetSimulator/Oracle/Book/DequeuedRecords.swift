import BackendStore
import Base
import Contract
import Store

/// A record that has left its queue. Before a real server is asked, in the end, there are as many as records were uploaded:
/// none takes more than these bytes.
struct DequeuedRecord {
  let uuid: UUID128
  let timestamp: WallInstant
  let createdAt: MonotonicInstant
  let at: MonotonicInstant
  let mark: UInt64
  /// Whose answer made the device delete it; 0: it left for another reason, so that it does not matter whether the server
  /// has it.
  private(set) var request: UInt64 = 0
  let device: UInt32
  private(set) var status: Int16 = 0
  let attempts: UInt16
  let arrivals: UInt16
  private(set) var marks: Marks = []
  /// How many the request held.
  private(set) var requestRecords: UInt16 = 0
  let traits: RecordTraits

  struct Marks: OptionSet {
    let rawValue: UInt8

    /// Its device took something for an acknowledgement.
    static let isAcknowledged = Marks(rawValue: 1)
    /// The server has said so itself, and not a portal on the way.
    static let isServers = Marks(rawValue: 2)
    /// A fault of the scenario may have answered in the server's place.
    static let isExplained = Marks(rawValue: 4)
    /// The request held others before it.
    static let follows = Marks(rawValue: 8)
    /// The request held others after it.
    static let precedes = Marks(rawValue: 16)
  }

  init(_ record: WaitingRecord, of device: Int, at instant: MonotonicInstant) {
    (uuid, timestamp, createdAt, at) = (record.uuid, record.timestamp, record.createdAt, instant)
    (mark, attempts, arrivals, traits) = (record.mark, record.attempts, record.arrivals, record.traits)
    self.device = UInt32(device)
  }

  /// Nil: deleted before any answer.
  mutating func take(_ answer: ReadAnswer?, row: Int64) {
    marks = [.isAcknowledged]
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

/// What of a record matters once its server is asked for it; known where a server outside the run is asked.
struct RecordTraits {
  /// Where the reader has what was sent; 0 where it says nothing, or is not compared: in runs at the server inside, most of what waits
  /// would be room for it.
  fileprivate(set) var content: UInt32 = 0
  /// Of the names of events that the book has seen; 0 for a plain location.
  var event: UInt16 = 0
  /// Another record of the device has the same timestamp.
  var sharesInstant = false
}

/// Reads what of a record is compared.
struct RecordTraitsReader {
  /// Whether the server shows positions.
  let comparesContents: Bool
  /// Of the events that were seen; that of a plain location is none.
  private(set) var events: [String?] = [nil]
  private var contents = BlockList<RecordContent>()
  private let decoder = RecordDecoder()

  init(comparesContents: Bool) { self.comparesContents = comparesContents }

  mutating func read(_ bytes: [UInt8]) -> RecordTraits {
    var traits = RecordTraits()
    // Most records name no event, and need not be decoded.
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

  /// What was sent; nil where it is not compared.
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

/// Very many elements in the order in which they came: in blocks, so that one more never moves the others.
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
  /// Those of each device together, by their identities.
  var byDevice: [Int] {
    indices.sorted { first, second in
      let (first, second) = (self[first], self[second])
      return (first.device, first.uuid) < (second.device, second.uuid)
    }
  }
}
