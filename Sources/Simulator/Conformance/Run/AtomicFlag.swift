import Synchronization

/// Raised once, seen from any thread.
final class AtomicFlag: Sendable {
  private let state = Atomic(false)

  var isRaised: Bool { state.load(ordering: .acquiring) }

  func raise() { state.store(true, ordering: .releasing) }
}
