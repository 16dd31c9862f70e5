package import Base
package import Scenario

/// What a metric, or a part of it, came to.
package struct MetricFigure: Equatable, Sendable {
  /// `upload_duration{fleet:couriers}`.
  package var name: String
  package var figure: Figure
}

/// A number of something, a share, a level or a spread. Two of the same kind add up to that of both.
package enum Figure: Equatable, Sendable {
  case counter(Int)
  case rate(hits: Int, of: Int)
  /// The level now and then.
  case gauge(LevelSeries)
  case trend(Spread)
}

/// Values of a trend.
package struct Spread: Equatable, Sendable {
  package var histogram: Histogram
  /// How many units of the histogram make one of the metric.
  package var resolution: Double
}

/// A level at the end of each interval of a run. Levels of shards add up interval by interval, which their greatest and
/// least alone would not.
package struct LevelSeries: Equatable, Sendable {
  package var levels: [Int] = []
  /// How many units of the levels make one of the metric.
  package var resolution = 1.0

  package var last: Double? { levels.last.map(value) }
  package var least: Double? { levels.min().map(value) }
  package var greatest: Double? { levels.max().map(value) }

  private func value(_ level: Int) -> Double { Double(level) / resolution }
}

extension Figure {
  /// Whether anything was measured at all: a rate of nothing is no rate, a counter of nothing is zero.
  package var isEmpty: Bool {
    switch self {
    case .counter: false
    case .rate(_, let total): total == 0
    case .gauge(let series): series.levels.isEmpty
    case .trend(let spread): spread.histogram.count == 0
    }
  }

  /// The number that a threshold is about; nil when nothing was measured. `seconds` is how long it took.
  package func value(_ aggregation: ThresholdExpression.Aggregation, seconds: Double) -> Double? {
    switch (self, aggregation) {
    case (.counter(let count), .rate): seconds > 0 ? Double(count) / seconds : nil
    case (.counter(let count), _): Double(count)
    case (.rate(let hits, let total), _): total > 0 ? Double(hits) / Double(total) : nil
    case (.gauge(let series), .minimum): series.least
    case (.gauge(let series), .maximum): series.greatest
    case (.gauge(let series), _): series.last
    case (.trend(let spread), _): spread.value(aggregation)
    }
  }
}

extension Spread {
  package func value(_ aggregation: ThresholdExpression.Aggregation) -> Double? {
    switch aggregation {
    case .count: Double(histogram.count)
    case .average: histogram.mean.map { $0 / resolution }
    case .minimum: histogram.minimum.map { Double($0) / resolution }
    case .maximum: histogram.maximum.map { Double($0) / resolution }
    case .median: percentile(50)
    case .percentile(let share): percentile(share)
    case .rate, .value: nil
    }
  }

  /// 0 to 100.
  package func percentile(_ share: Double) -> Double? {
    histogram.value(atQuantile: share / 100).map { Double($0) / resolution }
  }
}
