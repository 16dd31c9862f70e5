import Synchronization

/// Raised once, seen from any thread.
package final class AtomicFlag: Sendable {
  private let state = Atomic(false)

  package init() {}

  package var isRaised: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}
