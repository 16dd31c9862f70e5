import Synchronization

/// A number of events that only grows, to be added to from any thread. Relaxed: a reader may see two counters that belong
/// together at slightly different moments.
package final class Counter: Sendable {
  private let total = Atomic<UInt64>(0)

  init() {}

  package func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

  package var value: UInt64 { total.load(ordering: .relaxed) }
}
