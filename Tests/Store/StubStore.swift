import Base
import Store
import Synchronization

/// A store that keeps nothing: it counts, and answers as the test says.
final class StubStore: Store {
  /// What the test and the writer's thread share.
  final class Record: Sendable {
    let groups = Mutex<[Int]>([])
    let isClosed = Mutex(false)
    let gate = Mutex(())
    let upkeep = Mutex(0)
  }

  private let record: Record
  private let answer: StoreResult
  let outage: StoreOutage?
  let outageDetail: String? = nil
  let evictedFromQuarantine = 0

  init(_ record: Record, answering answer: StoreResult = .changed(1)) {
    self.record = record
    self.answer = answer
    if case .unavailable(let outage) = answer { self.outage = outage } else { outage = nil }
  }

  /// Waits while the test holds the gate.
  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    record.groups.withLock { $0.append(group.count) }
    record.gate.withLock { _ in }
    return group.map { _ in answer }
  }

  func maintain(now: WallInstant) -> Bool {
    record.upkeep.withLock { $0 += 1 }
    return false
  }

  func damageFound() {}

  func close() { record.isClosed.withLock { $0 = true } }
}
