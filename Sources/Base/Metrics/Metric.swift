import Synchronization

/// A monotonic count of events, incremented by any thread. Relaxed: a reader may see two related counters at slightly different
/// moments.
package final class Counter: Sendable {
  private let total = Atomic<UInt64>(0)

  package init() {}

  package func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

  package var value: UInt64 { total.load(ordering: .relaxed) }

  /// Resets the count; never used for the counters of the metrics page.
  package func reset() { total.store(0, ordering: .relaxed) }
}

/// A level that rises and falls (connections, queue length, bytes), changed by any thread.
package final class Gauge: Sendable {
  private let level = Atomic<Int64>(0)

  init() {}

  package func set(_ value: Int64) { level.store(value, ordering: .relaxed) }
  package func add(_ amount: Int64) { level.wrappingAdd(amount, ordering: .relaxed) }

  package var value: Int64 { level.load(ordering: .relaxed) }
}

/// Counts of values within fixed bounds, recorded by several threads and shown on the metrics page as a Prometheus histogram.
///
/// Base units on the page are seconds and bytes, while recorded values are integers of a finer unit: `divisor` of these make
/// one base unit (1,000,000 for microseconds shown as seconds). For quantiles of any value use `Histogram`.
package final class SharedHistogram: Sendable {
  let bounds: [UInt64]
  let divisor: UInt64
  private let counts: Mutex<Counts>

  private struct Counts {
    /// The number of values above the previous bound and not above this one; the last counts those above all bounds.
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

  /// Returns the first bucket whose bound is not below the value.
  private func bucket(of value: UInt64) -> Int {
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of values up to each bound, the number of all values, and their sum in base units.
  package var totals: (buckets: [UInt64], count: UInt64, sum: Double) {
    var (buckets, sum) = counts.withLock { ($0.buckets, $0.sum) }
    for bucket in buckets.indices.dropFirst() { buckets[bucket] += buckets[bucket - 1] }
    let count = buckets.removeLast()
    return (buckets, count, Double(sum) / Double(divisor))
  }
}

/// One metric for each case of an enum: the type bounds the set of series, not the input of clients.
package struct LabelledMetrics<Label: CaseIterable & Hashable & RawRepresentable<String> & Sendable, Metric: Sendable>:
  Sendable
{
  private let metrics: [Label: Metric]

  /// Creates series with a further label of a fixed value.
  package init(_ metric: (Label) -> Metric) {
    metrics = Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, metric($0)) })
  }

  /// Hashes the label; keep a reference to the metric itself in hot code.
  package subscript(label: Label) -> Metric {
    guard let metric = metrics[label] else { preconditionFailure("allCases lacks \(label)") }
    return metric
  }
}
