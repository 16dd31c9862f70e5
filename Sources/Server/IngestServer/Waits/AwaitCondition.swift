import Base
import Contract
import JSON
import Store

/// The condition of a wait: a number of stored records, or particular records.
struct AwaitCondition: Sendable {
  var run: String
  /// The name of the device; nil for all devices of the run together.
  var device: String?
  /// The expected number of stored records; earlier records count unless `isFromNow`.
  var count: CountRange
  var uuids: Set<UUID128> = []
  var isFromNow = false
  /// When the wait began, in milliseconds since 1970.
  var since = Int64.min

  /// Returns whether the job deletes records that the condition counts.
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

/// The progress of a wait.
package struct AwaitProgress: Equatable, Sendable {
  /// The number of stored records; nil until the store has answered.
  var stored: Int?
  /// The uuids still awaited, in order.
  var missing: [UUID128]
}

/// A session that waits for a condition.
struct Waiter: Sendable {
  let id: UInt64
  let address: SessionAddress
  let condition: AwaitCondition
  private var stored: Int?
  /// The last group that `stored` includes.
  private var group: UInt64 = 0
  private var missing: Set<UUID128>
  /// The records that each device has stored since the beginning, for a wait that starts now.
  private var brought: [DeviceIdentity: Brought] = [:]

  private struct Brought {
    var count = 0
    /// The awaited ones among them.
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

  /// The count exceeds its upper bound, and counts never shrink.
  var isOver: Bool { stored.map { condition.count.isExceeded(by: $0) } ?? false }

  var progress: AwaitProgress { AwaitProgress(stored: stored, missing: missing.sorted()) }

  /// Starts counting with what the store held at the end of a group.
  mutating func begin(stored: Int, group: UInt64) {
    self.stored = stored
    self.group = group
  }

  /// The job has deleted records. A wait from now on subtracts what the deleted device had added, because arrivals are reported
  /// only once. Any other wait starts over, and the store must be asked again.
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

  /// Counts a committed batch.
  mutating func note(_ batch: IngestBatch, _ receipt: IngestReceipt, group: UInt64) {
    guard condition.concerns(batch.device) else { return }
    if condition.isFromNow { return noteNew(receipt.accepted, batch.points.lazy.map(\.uuid), of: batch.device) }
    if !missing.isEmpty { missing.subtract(batch.points.lazy.map(\.uuid)) }
    guard let stored, group > self.group else { return }
    self.stored = stored + receipt.accepted
  }

  /// Counts newly stored records, for a wait that starts now.
  mutating func noteNew(_ count: Int, _ uuids: some Sequence<UUID128>, of device: DeviceIdentity) {
    stored = stored.map { $0 + count }
    brought[device, default: Brought()].count += count
    guard !condition.uuids.isEmpty else { return }
    let known = uuids.filter { condition.uuids.contains($0) }
    missing.subtract(known)
    brought[device, default: Brought()].uuids.formUnion(known)
  }

  /// Counts a batch that a feed has read, which may have been committed before the wait began.
  mutating func noteFed(_ batch: IngestBatch, _ receipt: IngestReceipt) {
    if condition.isFromNow, batch.receivedAt.millisecondsSince1970 < condition.since { return }
    note(batch, receipt, group: 0)
  }
}

/// The expected number, with WireMock's keys (`exactly`, `atLeast`, `atMost`).
struct CountRange: Equatable, Sendable {
  static let keys = ["exactly", "atLeast", "atMost"]

  var atLeast = 1
  /// The upper limit; nil for none.
  var atMost: Int?
  /// Whether it was given as one number.
  private var isExact = false

  /// Whether every number is accepted.
  var isAny: Bool { atLeast == 0 && atMost == nil }

  func contains(_ count: Int) -> Bool { count >= atLeast && !isExceeded(by: count) }

  /// Returns whether the count is above the range, which it cannot meet any more, because counts only grow.
  func isExceeded(by count: Int) -> Bool { atMost.map { count > $0 } ?? false }

  /// `exactly`, or `atLeast` and `atMost`; `count`, where it is a known key, is an alias of `atLeast`. Without any, `absent`.
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
