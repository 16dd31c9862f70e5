import Base
import Contract
import JSON
import Store

/// What a request waits for: so many records stored, or certain ones.
struct AwaitCondition: Sendable {
  var run: String
  /// Nil for all devices of the run together.
  var device: String?
  /// Records stored; those that are there already count unless `isFromNow`.
  var count: CountRange
  var uuids: Set<UUID128> = []
  var isFromNow = false
  /// When the wait began, in milliseconds since 1970.
  var since = Int64.min

  /// A job that deletes some of the records that it is about.
  func loses(to job: StoreJob) -> Bool {
    switch job {
    case .reset(let run): run == nil || run == self.run
    case .delete(let device): concerns(device)
    default: false
    }
  }

  func concerns(_ device: DeviceIdentity) -> Bool {
    device.run == run && (self.device == nil || device.name == self.device)
  }
}

/// How far a wait has come.
package struct AwaitProgress: Equatable, Sendable {
  /// Nil while the store has not been asked.
  var stored: Int?
  /// Those waited for and not seen, in order.
  var missing: [UUID128]
}

/// One wait.
struct Waiter: Sendable {
  let id: UInt64
  let address: SessionAddress
  let condition: AwaitCondition
  private var stored: Int?
  /// Groups up to this one are in `stored` already.
  private var group: UInt64 = 0
  private var missing: Set<UUID128>
  /// Of a wait from now on: what each device has brought since.
  private var brought: [DeviceIdentity: Brought] = [:]

  private struct Brought {
    var count = 0
    /// Of those that are waited for.
    var uuids: Set<UUID128> = []
  }

  init(id: UInt64, address: SessionAddress, condition: AwaitCondition) {
    self.id = id
    self.address = address
    self.condition = condition
    missing = condition.uuids
    stored = condition.isFromNow ? 0 : nil
  }

  var isMet: Bool { missing.isEmpty && stored.map { condition.count.contains($0) } ?? false }

  /// There are more than there may be, and there will never be fewer.
  var isOver: Bool { stored.map { condition.count.isExceeded(by: $0) } ?? false }

  var progress: AwaitProgress { AwaitProgress(stored: stored, missing: missing.sorted()) }

  /// What the store held at the end of a group.
  mutating func begin(stored: Int, group: UInt64) {
    self.stored = stored
    self.group = group
  }

  /// The job has deleted records. What came from now on is told once only: of it, what the deleted device had brought counts no more.
  /// Otherwise nothing that was counted holds, and the store has to be asked again.
  mutating func lose(to job: StoreJob) {
    guard condition.isFromNow, case .delete(let device) = job else {
      self = Waiter(id: id, address: address, condition: condition)
      return
    }
    guard let lost = brought.removeValue(forKey: device) else { return }
    stored = stored.map { $0 - lost.count }
    missing = brought.values.reduce(condition.uuids) { $0.subtracting($1.uuids) }
  }

  mutating func found(_ uuids: [UUID128]) { missing.subtract(uuids) }

  /// A batch is on disk.
  mutating func note(_ batch: IngestBatch, _ receipt: IngestReceipt, group: UInt64) {
    guard condition.concerns(batch.device) else { return }
    if condition.isFromNow { return noteNew(receipt.accepted, batch.points.lazy.map(\.uuid), of: batch.device) }
    if !missing.isEmpty { missing.subtract(batch.points.lazy.map(\.uuid)) }
    guard let stored, group > self.group else { return }
    self.stored = stored + receipt.accepted
  }

  /// A wait from now on has seen so many records, which it had not seen before.
  mutating func noteNew(_ count: Int, _ uuids: some Sequence<UUID128>, of device: DeviceIdentity) {
    stored = stored.map { $0 + count }
    brought[device, default: Brought()].count += count
    guard !condition.uuids.isEmpty else { return }
    let known = uuids.filter { condition.uuids.contains($0) }
    missing.subtract(known)
    brought[device, default: Brought()].uuids.formUnion(known)
  }

  /// A batch that a feed has read, which may have been committed before the wait began.
  mutating func noteFed(_ batch: IngestBatch, _ receipt: IngestReceipt) {
    if condition.isFromNow, batch.receivedAt.millisecondsSince1970 < condition.since { return }
    note(batch, receipt, group: 0)
  }
}

/// How many are expected, in the words of WireMock.
struct CountRange: Equatable, Sendable {
  static let keys = ["exactly", "atLeast", "atMost"]

  var atLeast = 1
  /// Nil for any number more.
  var atMost: Int?
  /// It was given as one number.
  private var isExact = false

  /// No number is expected.
  var isAny: Bool { atLeast == 0 && atMost == nil }

  func contains(_ count: Int) -> Bool { count >= atLeast && !isExceeded(by: count) }

  /// Counts only grow: such a range cannot be met any more.
  func isExceeded(by count: Int) -> Bool { atMost.map { count > $0 } ?? false }

  /// `exactly`, or `atLeast` and `atMost`; `count`, where it is known, is another name of `atLeast`. `absent` when none is said.
  init(_ fields: AdminFields, absent: Int) throws(FieldError) {
    let limits: ClosedRange<Int64> = 0...Int64(Int32.max)
    let exactly = try fields.integer("exactly", in: limits).map { Int($0) }
    let least = try fields.integer("atLeast", in: limits).map { Int($0) }
    let most = try fields.integer("atMost", in: limits).map { Int($0) }
    let count = try fields.integer("count", in: limits).map { Int($0) }
    if count != nil, exactly != nil || least != nil || most != nil {
      throw FieldError(fields.place("count"), .outOfRange(expected: "omitted when exactly, atLeast or atMost is given"))
    }
    if let exactly {
      guard least == nil, most == nil else {
        throw FieldError(fields.place("exactly"), .outOfRange(expected: "omitted when atLeast or atMost is given"))
      }
      (atLeast, atMost, isExact) = (exactly, exactly, true)
    } else {
      atLeast = least ?? count ?? (most == nil ? absent : 0)
      atMost = most
    }
    if let atMost, atMost < atLeast {
      throw FieldError(fields.place("atMost"), .outOfRange(expected: "at least atLeast"))
    }
  }

  /// `1 record`, `2 records`.
  static func records(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

  /// `exactly 3`, `at least 1`, `2 to 5`.
  var text: String {
    guard let atMost else { return "at least \(atLeast)" }
    if isExact || atMost == atLeast && atLeast > 0 { return "exactly \(atMost)" }
    return atLeast == 0 ? "at most \(atMost)" : "\(atLeast) to \(atMost)"
  }
}
