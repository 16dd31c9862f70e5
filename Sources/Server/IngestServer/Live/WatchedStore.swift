package import Base
package import Store

/// A store that tells the hub what it has committed, before anybody else hears of it.
package final class WatchedStore: Store {
  private let store: any Store
  private let hub: EventHub

  package init(_ store: any Store, hub: EventHub) {
    self.store = store
    self.hub = hub
  }

  package func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    hub.groupBegins()
    let results = store.apply(group, now: now)
    hub.committed(group, results, now: now)
    return results
  }

  package func maintain(now: WallInstant) -> Bool { store.maintain(now: now) }
  package var outage: StoreOutage? { store.outage }
  package func close() { store.close() }
}
