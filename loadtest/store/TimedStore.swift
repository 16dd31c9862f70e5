import Base
import Store
import Synchronization

/// A store with a stop-watch around each call.
final class TimedStore: Store {
  struct Times {
    var groups = Histogram(highestTrackableValue: 10_000_000)
    var groupRows = Histogram(highestTrackableValue: 100_000)
    var upkeep = Histogram(highestTrackableValue: 10_000_000)
  }

  private let store: SQLiteStore
  private let times: TimesBox
  private let clock = SystemClock()

  init(_ store: SQLiteStore, _ times: TimesBox) {
    self.store = store
    self.times = times
  }

  var outage: StoreOutage? { store.outage }
  var outageDetail: String? { store.outageDetail }
  var evictedFromQuarantine: Int { store.evictedFromQuarantine }
  func damageFound() { store.damageFound() }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    let start = clock.monotonicNow
    let results = store.apply(group, now: now)
    let microseconds = UInt64((clock.monotonicNow - start).count / 1_000)
    times.value.withLock {
      $0.groups.record(microseconds)
      $0.groupRows.record(UInt64(group.reduce(0) { $0 + $1.rowCount }))
    }
    return results
  }

  func maintain(now: WallInstant) -> Bool {
    let start = clock.monotonicNow
    let more = store.maintain(now: now)
    let microseconds = UInt64((clock.monotonicNow - start).count / 1_000)
    if more { times.value.withLock { $0.upkeep.record(microseconds) } }
    return more
  }

  func close() { store.close() }
}

/// Times that the writer's thread records and the main thread prints.
final class TimesBox: Sendable {
  let value = Mutex(TimedStore.Times())
}
