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

/// Counts of values within fixed bounds, that several threads record into and that the metrics page shows as a Prometheus
/// histogram.
///
/// Base units on the page are seconds and bytes, while records are whole numbers of a finer unit: `divisor` records make one
/// base unit (1,000,000 for microseconds shown as seconds). Where quantiles of any value are wanted, use `Histogram`.
package final class SharedHistogram: Sendable {
  let bounds: [UInt64]
  let divisor: UInt64
  private let counts: Mutex<Counts>

  private struct Counts {
    /// Of values above the bound before and not above this one; the last: above all bounds.
    var buckets: [UInt64]
    var sum: UInt128 = 0
  }

  package init(bounds: [UInt64], divisor: UInt64 = 1) {
    precondition(divisor > 0, "nothing can be divided by zero")
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "the bounds of buckets ascend")
    self.bounds = bounds
    self.divisor = divisor
    counts = Mutex(Counts(buckets: Array(repeating: 0, count: bounds.count + 1)))
  }

  package func record(_ value: UInt64) {
    let bucket = bucket(of: value)
    counts.withLock {
      $0.buckets[bucket] += 1
      $0.sum += UInt128(value)
    }
  }

  /// The first whose bound is not below the value.
  private func bucket(of value: UInt64) -> Int {
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many values do not exceed each of the bounds, how many there are, and their sum in base units.
  package var totals: (buckets: [UInt64], count: UInt64, sum: Double) {
    var (buckets, sum) = counts.withLock { ($0.buckets, $0.sum) }
    for bucket in buckets.indices.dropFirst() { buckets[bucket] += buckets[bucket - 1] }
    let count = buckets.removeLast()
    return (buckets, count, Double(sum) / Double(divisor))
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
