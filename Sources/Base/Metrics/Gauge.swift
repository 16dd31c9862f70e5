import Synchronization

/// A level that rises and falls (connections, queue length, bytes), to be changed from any thread.
package final class Gauge: Sendable {
  private let level = Atomic<Int64>(0)

  init() {}

  package func set(_ value: Int64) { level.store(value, ordering: .relaxed) }
  package func add(_ amount: Int64) { level.wrappingAdd(amount, ordering: .relaxed) }

  package var value: Int64 { level.load(ordering: .relaxed) }
}
