import Synchronization

/// A flag that is raised once and visible to all threads.
package final class AtomicFlag: Sendable {
  private let state = Atomic(false)

  package init() {}

  package var isRaised: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}
