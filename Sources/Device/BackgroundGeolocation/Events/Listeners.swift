import Synchronization

/// Who listens to one kind of event, in the order of subscription.
final class Listeners<Event: Sendable>: Sendable {
  private struct State {
    var listeners: [(id: Int, callback: Callback<Event>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  func subscribe(isolation: (any Actor)? = nil, _ callback: @escaping (Event) -> Void) -> EventSubscription {
    let callback = Callback(isolation: isolation, callback)
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      state.listeners.append((state.nextID, callback))
      return state.nextID
    }
    return EventSubscription { [weak self] in self?.remove(id) }
  }

  func removeAll() { state.withLock { $0.listeners.removeAll() } }

  /// For the queue of callbacks. One that a listener before it has removed is not called any more.
  func calls(_ event: Event) -> [CallbackQueue.Call] {
    state.withLock { $0.listeners }.map { id, callback in callback.call(event) { self.has(id) } }
  }

  private func has(_ id: Int) -> Bool { state.withLock { $0.listeners.contains { $0.id == id } } }

  private func remove(_ id: Int) { state.withLock { $0.listeners.removeAll { $0.id == id } } }
}
