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
  /// Only records with this event count.
  var event: String?
  var uuids: Set<UUID128> = []
  var isFromNow = false
  /// When the wait began, in milliseconds since 1970.
  var since = Int64.min

  /// It is about how many records there are, not about those that come.
  var isOfWholeStore: Bool { !isFromNow && event == nil }

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
  /// Those of the records that came meanwhile, where one is waited for.
  var events: [String] = []
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
  private var events: Set<String> = []
  private static let eventsMax = 16

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

  var progress: AwaitProgress { AwaitProgress(stored: stored, missing: missing.sorted(), events: events.sorted()) }

  /// What the store held at the end of a group.
  mutating func begin(stored: Int, group: UInt64) {
    self.stored = stored
    self.group = group
  }

  /// Records were deleted: nothing that was counted holds, and the store has to be asked again.
  mutating func beginAnew() { self = Waiter(id: id, address: address, condition: condition) }

  mutating func found(_ uuids: [UUID128]) { missing.subtract(uuids) }

  /// A batch is on disk.
  mutating func note(_ batch: IngestBatch, _ receipt: IngestReceipt, group: UInt64) {
    guard condition.concerns(batch.device) else { return }
    if !missing.isEmpty { found(batch.points.map(\.uuid)) }
    if condition.event != nil {
      for case let event? in batch.points.map(\.event) where events.count < Waiter.eventsMax { events.insert(event) }
    }
    guard let stored, group > self.group else { return }
    self.stored = stored + (condition.event.map { matches($0, batch, receipt) } ?? receipt.accepted)
  }

  /// A batch that a feed has read, which may have been committed before the wait began.
  mutating func noteFed(_ batch: IngestBatch, _ receipt: IngestReceipt) {
    if condition.isFromNow, batch.receivedAt.millisecondsSince1970 < condition.since { return }
    note(batch, receipt, group: condition.isOfWholeStore ? 0 : .max)
  }

  /// Which records of a batch were new is not known, only how many.
  private func matches(_ event: String, _ batch: IngestBatch, _ receipt: IngestReceipt) -> Int {
    min(receipt.accepted, batch.points.count { $0.event == event })
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

  /// `exactly`, or `atLeast` and `atMost`; `absent` when none is said.
  init(_ fields: AdminFields, absent: Int) throws(FieldError) {
    let limits: ClosedRange<Int64> = 0...Int64(Int32.max)
    let exactly = try fields.integer("exactly", in: limits).map { Int($0) }
    let least = try fields.integer("atLeast", in: limits).map { Int($0) }
    let most = try fields.integer("atMost", in: limits).map { Int($0) }
    if let exactly {
      guard least == nil, most == nil else {
        throw FieldError(fields.place("exactly"), .outOfRange(expected: "omitted when atLeast or atMost is given"))
      }
      (atLeast, atMost, isExact) = (exactly, exactly, true)
    } else {
      atLeast = least ?? (most == nil ? absent : 0)
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
