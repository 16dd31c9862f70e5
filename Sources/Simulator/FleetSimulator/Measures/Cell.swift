import Base
import Scenario

/// What one measure, or a part of it, has come to so far. A histogram takes memory only once there is something in it.
struct Cell {
  private(set) var hits = 0
  private(set) var total = 0
  private(set) var histogram: Histogram?

  mutating func count(_ more: Int = 1) { total += more }

  mutating func judge(_ isHit: Bool) {
    total += 1
    if isHit { hits += 1 }
  }

  mutating func add(hits: Int, of total: Int) {
    self.hits += hits
    self.total += total
  }

  mutating func record(_ value: UInt64, upTo highest: UInt64) {
    if case nil = histogram { histogram = Histogram(highestTrackableValue: highest) }
    histogram?.record(value)
  }

  mutating func add(_ other: Cell) {
    hits += other.hits
    total += other.total
    guard let more = other.histogram else { return }
    guard histogram != nil else { return histogram = more }
    do throws(HistogramError) { try histogram?.merge(more) } catch {
      preconditionFailure("histograms of one measure have one range: \(error)")
    }
  }

  /// Of everything but gauges.
  func figure(of measure: Measure) -> Figure {
    switch measure.metric.kind {
    case .counter: .counter(total)
    case .rate: .rate(hits: hits, of: total)
    case .trend:
      .trend(
        Spread(
          histogram: histogram ?? Histogram(highestTrackableValue: measure.highestTrackableValue),
          resolution: measure.resolution))
    case .gauge: .gauge(LevelSeries())
    }
  }
}
