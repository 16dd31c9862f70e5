import Base
import Store

/// What somebody waits for: so many records stored, or certain ones.
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

  mutating func found(_ uuids: [UUID128]) { missing.subtract(uuids) }

  /// A batch is on disk.
  mutating func note(_ batch: IngestBatch, _ receipt: IngestReceipt, group: UInt64) {
    guard condition.concerns(batch.device) else { return }
    if !missing.isEmpty { found(batch.points.map(\.uuid)) }
    guard let stored, group > self.group else { return }
    self.stored = stored + (condition.event.map { matches($0, batch, receipt) } ?? receipt.accepted)
  }

  /// Which records of a batch were new is not known, only how many.
  private func matches(_ event: String, _ batch: IngestBatch, _ receipt: IngestReceipt) -> Int {
    min(receipt.accepted, batch.points.count { $0.event == event })
  }
}
