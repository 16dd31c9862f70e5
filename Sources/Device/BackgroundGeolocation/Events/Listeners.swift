import Synchronization

/// Who listens to one kind of event, in the order of subscription.
final class Listeners<Event: Sendable>: Sendable {
  private struct State {
    var listeners: [(id: Int, callback: Callback<Event>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  func subscribe(_ callback: @escaping (Event) -> Void) -> EventSubscription {
    let callback = Callback(callback)
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      state.listeners.append((state.nextID, callback))
      return state.nextID
    }
    return EventSubscription { [weak self] in self?.remove(id) }
  }

  func removeAll() { state.withLock { $0.listeners.removeAll() } }

  /// On the queue of callbacks. One that a listener before it has removed is not called any more.
  func call(_ event: Event) {
    let ids = state.withLock { $0.listeners.map(\.id) }
    for id in ids {
      let callback = state.withLock { state in state.listeners.first { $0.id == id }?.callback }
      callback?.body(event)
    }
  }

  private func remove(_ id: Int) { state.withLock { $0.listeners.removeAll { $0.id == id } } }
}

/// A function of the app. The documents do not ask for `@Sendable`; it is called on the queue of callbacks only, one
/// call after the other, which is what such functions are written for.
struct Callback<Event>: @unchecked Sendable {
  let body: (Event) -> Void

  init(_ body: @escaping (Event) -> Void) { self.body = body }
}
