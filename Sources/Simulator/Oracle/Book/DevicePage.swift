import Base
import Contract
import Upload

/// The ledger's state of one device.
struct DevicePage {
  var waiting = WaitingRecords()
  /// Requests that have not ended.
  var open: [SentRequest] = []
  var answer: ReadAnswer?
  /// Whether its last upload behind the faults, or the refresh before it, got no answer within its time limit.
  var hasTimedOut = false
  /// The status with which the server has refused, behind the faults, to renew tokens that it has not issued.
  var refusal: Int?
  /// The time at which its last request ended, after which an upload may continue.
  var endedAt: MonotonicInstant?
  /// The time since which the app runs; nil while it does not.
  var aliveSince: MonotonicInstant?
  /// The time since which there is a network; nil without one.
  var connectedSince: MonotonicInstant?
  /// The end of the drives and their faults; nil before.
  var healedAt: MonotonicInstant?
  /// The number of active faults that answer in the server's name, and whether one was active since the last request was sent.
  var impostors = 0
  var hadImpostor = false
  var lastTimestamp: WallInstant?
  /// The time of the last acknowledged upload.
  var acknowledgedAt: MonotonicInstant?
  /// The configuration of the running app, from `ready` or changed since.
  var terms: UploadTerms?
  /// The checksum of the device's records that are known to be in the store.
  var stored = SetChecksum()
  /// Waiting records without a uuid, by their rows.
  var anonymous = AnonymousRecords()

  var isHealed: Bool { healedAt != nil }

  /// Returns a request that has not ended; nil without one of that id.
  func request(_ id: UInt64) -> SentRequest? { open.first { $0.id == id } }

  /// The upload of records that is under way; nil without one.
  var upload: SentRequest? { open.first { $0.purpose == .records } }
}

/// The part of a device's configuration by which its uploads are judged.
final class UploadTerms {
  let platform: DevicePlatform
  let autoSync: Bool
  /// 1 without batches; nil: no limit.
  let recordsPerRequestMax: Int?
  let threshold: Int
  let defersOnCellular: Bool
  let newestFirst: Bool
  /// Nil: no limit.
  let queueMax: Int?
  let daysMax: Int?
  let timeout: Nanoseconds
  let url: String
  let stopsOnTerminate: Bool
  /// Nil without a template.
  let templateForm: TemplateForm?

  /// False for a queue limit below the threshold, with which an insert never starts an upload.
  var canReachThreshold: Bool { queueMax.map { $0 >= threshold } ?? true }

  init(_ configuration: Configuration) {
    let (http, persistence) = (configuration.http, configuration.persistence)
    platform = configuration.platform
    autoSync = http.autoSync
    recordsPerRequestMax = !http.batchSync ? 1 : http.maxBatchSize > 0 ? http.maxBatchSize : nil
    threshold = max(1, http.autoSyncThreshold)
    defersOnCellular = http.disableAutoSyncOnCellular
    newestFirst = persistence.locationsOrderDirection == .descending
    queueMax = persistence.maxRecordsToPersist > 0 ? persistence.maxRecordsToPersist : nil
    daysMax = persistence.maxDaysToPersist > 0 ? persistence.maxDaysToPersist : nil
    timeout = DocumentedLimits.timeout(milliseconds: http.timeoutMilliseconds)
    url = http.url
    stopsOnTerminate = configuration.app.stopOnTerminate
    let hasTemplate = !persistence.locationTemplate.isEmpty || !persistence.geofenceTemplate.isEmpty
    templateForm = hasTemplate ? TemplateForm(http) : nil
  }
}

/// The body around records that a template makes.
struct TemplateForm {
  private let writer: EnvelopeWriter
  private let isBatch: Bool

  init(_ http: HTTPSettings) {
    writer = EnvelopeWriter(rootProperty: http.rootProperty, params: RenderedObject(http.params) ?? .empty)
    isBatch = http.batchSync
  }

  /// Returns the body of an upload of one record.
  func body(of record: Span<UInt8>) -> [UInt8] {
    var body: [UInt8] = []
    guard isBatch else {
      _ = writer.appendSingle(record, to: &body)
      return body
    }
    _ = writer.beginBatch(to: &body)
    writer.appendToBatch(record, to: &body)
    writer.endBatch(to: &body)
    return body
  }
}

/// The records of a queue in the order of their rows. Most leave at the front, where the oldest are.
struct WaitingRecords {
  private var storage: [WaitingRecord] = []
  private var head = 0

  var count: Int { storage.count - head }
  var all: ArraySlice<WaitingRecord> { storage[head...] }

  /// Appends a record whose row is above all others.
  mutating func append(_ record: WaitingRecord) {
    // Grows by a quarter, where an array would double: thousands of phones fill their queues at once.
    if storage.count == storage.capacity { storage.reserveCapacity(storage.count + max(16, storage.count / 4)) }
    storage.append(record)
  }

  func index(of row: Int64) -> Int? {
    let index = storage[head...].indexBehind { $0.row < row }
    return index < storage.count && storage[index].row == row ? index : nil
  }

  subscript(row row: Int64) -> WaitingRecord? { index(of: row).map { storage[$0] } }

  mutating func change(_ row: Int64, _ body: (inout WaitingRecord) -> Void) {
    if let index = index(of: row) { body(&storage[index]) }
  }

  mutating func changeLast(_ body: (inout WaitingRecord) -> Void) {
    if count > 0 { body(&storage[storage.count - 1]) }
  }

  mutating func changeAll(_ body: (inout WaitingRecord) -> Void) {
    for index in storage.indices.dropFirst(head) { body(&storage[index]) }
  }

  mutating func remove(_ row: Int64) -> WaitingRecord? {
    guard let index = index(of: row) else { return nil }
    let record = storage[index]
    if index > head {
      storage.remove(at: index)
      return record
    }
    head += 1
    if head == storage.count {
      (storage, head) = ([], 0)
    } else if head * 2 > storage.count {
      // Moves each record at most once on average.
      storage.removeSubrange(..<head)
      head = 0
    }
    return record
  }

  /// Returns the row of the record with these bytes. Records that are sent together are adjacent, so the search begins beside
  /// `near`, or at the end of the queue that is sent first. A template without a uuid may make the same bytes several times.
  func row(marked mark: UInt64, near: inout Int?, newestFirst: Bool) -> Int64? {
    let (first, second) = beside(near, newestFirst: newestFirst)
    for index in [first, second] where storage.indices.contains(index) && index >= head {
      if storage[index].mark == mark { return found(index, &near) }
    }
    let index =
      newestFirst
      ? storage[head...].lastIndex { $0.mark == mark } : storage[head...].firstIndex { $0.mark == mark }
    return index.map { found($0, &near) }
  }

  private func beside(_ near: Int?, newestFirst: Bool) -> (Int, Int) {
    let (before, after) = near.map { ($0 - 1, $0 + 1) } ?? (storage.count - 1, head)
    return newestFirst ? (before, after) : (after, before)
  }

  /// Returns the index of the record whose bytes begin there, if it is the one before or after `near`, or, where that is nil,
  /// one at an end of the queue.
  func place(of bytes: Span<UInt8>, from start: Int, beside near: Int?, newestFirst: Bool) -> Int? {
    let (first, second) = beside(near, newestFirst: newestFirst)
    if isThere(first, bytes, start) { return first }
    return isThere(second, bytes, start) ? second : nil
  }

  private func isThere(_ index: Int, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
    guard index >= head, index < storage.count else { return false }
    let end = start + Int(storage[index].length)
    return end <= bytes.count && RecordMark.of(bytes.extracting(start..<end)) == storage[index].mark
  }

  private func found(_ index: Int, _ near: inout Int?) -> Int64 {
    near = index
    return storage[index].row
  }
}

/// A record in a queue, and what has happened to it so far.
struct WaitingRecord {
  let row: Int64
  let uuid: UUID128
  let timestamp: WallInstant
  let createdAt: MonotonicInstant
  /// The hash and the length of its rendered bytes.
  let mark: UInt64
  let length: UInt32
  var traits = RecordTraits()
  private var flags: Flags = .mayArriveAgain
  /// The number of times it was sent.
  var attempts: UInt16 = 0
  /// The number of times it reached a server.
  var arrivals: UInt16 = 0

  /// In one byte, because millions of records may wait.
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let mayArriveAgain = Flags(rawValue: 1)
    static let mayBeStored = Flags(rawValue: 2)
    static let isInvalid = Flags(rawValue: 4)
  }

  init(row: Int64, uuid: UUID128, timestamp: WallInstant, createdAt: MonotonicInstant, mark: UInt64, length: UInt32) {
    (self.row, self.uuid, self.timestamp, self.createdAt) = (row, uuid, timestamp, createdAt)
    (self.mark, self.length) = (mark, length)
  }

  /// Whether it may be sent again although it has arrived: without an answer, after an unsuccessful one, or because the
  /// app ended in between.
  var mayArriveAgain: Bool {
    get { flags.contains(.mayArriveAgain) }
    set { flags.set(.mayArriveAgain, newValue) }
  }

  /// Whether it may be in the store: it has arrived, and no rejection has come back.
  var mayBeStored: Bool {
    get { flags.contains(.mayBeStored) }
    set { flags.set(.mayBeStored, newValue) }
  }

  /// Whether a fault of the scenario made it, so that a server may quarantine it (SDK §9.5).
  var isInvalid: Bool {
    get { flags.contains(.isInvalid) }
    set { flags.set(.isInvalid, newValue) }
  }
}

extension OptionSet {
  fileprivate mutating func set(_ option: Element, _ isOn: Bool) {
    if isOn { insert(option) } else { remove(option) }
  }
}

/// The mark that identifies a sent record: a hash of its bytes, so that a changed record is a different one.
enum RecordMark {
  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    var mark: UInt64 = 0x9E37_79B9_7F4A_7C15
    var index = 0
    while index + 8 <= bytes.count {
      mark = (mark ^ bytes.littleWord(at: index)) &* 0xBF58_476D_1CE4_E5B9
      mark ^= mark >> 32
      index += 8
    }
    var word = UInt64(bytes.count) << 56
    while index < bytes.count {
      word = word << 8 | UInt64(bytes[index])
      index += 1
    }
    return SplitMix64.mix(mark ^ word)
  }
}
