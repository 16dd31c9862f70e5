import Synchronization

/// A number of events that only grows, to be added to from any thread. Relaxed: a reader may see two counters that belong
/// together at slightly different moments.
package final class Counter: Sendable {
  private let total = Atomic<UInt64>(0)

  package init() {}

  package func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

  package var value: UInt64 { total.load(ordering: .relaxed) }

  /// For counts that can be forgotten; those of the metrics page never are.
  package func reset() { total.store(0, ordering: .relaxed) }
}

/// A level that rises and falls (connections, queue length, bytes), to be changed from any thread.
package final class Gauge: Sendable {
  private let level = Atomic<Int64>(0)

  init() {}

  package func set(_ value: Int64) { level.store(value, ordering: .relaxed) }
  package func add(_ amount: Int64) { level.wrappingAdd(amount, ordering: .relaxed) }

  package var value: Int64 { level.load(ordering: .relaxed) }
}

/// A histogram that several threads record into and that the metrics page shows as a Prometheus histogram.
///
/// Base units on the page are seconds and bytes, while records are whole numbers of a finer unit: `divisor` records make one
/// base unit (1,000,000 for microseconds shown as seconds). The lock is held for one record, or for the few microseconds
/// that adding up the buckets takes.
package final class SharedHistogram: Sendable {
  let bounds: [UInt64]
  let divisor: UInt64
  private let histogram: Mutex<Histogram>

  init(highestTrackableValue: UInt64, bounds: [UInt64], divisor: UInt64) {
    precondition(divisor > 0, "nothing can be divided by zero")
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "the bounds of buckets ascend")
    precondition(bounds.allSatisfy { $0 <= highestTrackableValue }, "every bound lies in the range")
    self.bounds = bounds
    self.divisor = divisor
    histogram = Mutex(Histogram(highestTrackableValue: highestTrackableValue))
  }

  package func record(_ value: UInt64) { histogram.withLock { $0.record(value) } }

  /// How many values do not exceed each of the ascending bounds, and how many there are.
  package func counts(atMost bounds: [UInt64]) -> (buckets: [UInt64], count: UInt64) {
    histogram.withLock { ($0.counts(atMost: bounds), $0.count) }
  }

  /// Counts at most each bound, then all; and the sum in base units.
  func totals() -> (buckets: [UInt64], count: UInt64, sum: Double) {
    histogram.withLock { ($0.counts(atMost: bounds), $0.count, Double($0.sum) / Double(divisor)) }
  }
}

/// One metric for each case of an enum: the set of series is bounded by the type, not by what clients send.
package struct LabelledMetrics<Label: CaseIterable & Hashable & RawRepresentable<String> & Sendable, Metric: Sendable>:
  Sendable
{
  private let metrics: [Label: Metric]

  /// For series with a further label, of a fixed value, beside this one.
  package init(_ metric: (Label) -> Metric) {
    metrics = Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, metric($0)) })
  }

  /// Hashes the label; keep the metric itself where every nanosecond counts.
  package subscript(label: Label) -> Metric {
    guard let metric = metrics[label] else { preconditionFailure("allCases lacks \(label)") }
    return metric
  }
}
