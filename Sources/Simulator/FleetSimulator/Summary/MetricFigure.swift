package import Base
import JSON
import Oracle
package import Scenario

/// The value of a metric, or of a part of it.
package struct MetricFigure: Equatable, Sendable {
  /// `upload_duration{fleet:couriers}`.
  package var name: String
  package var figure: Figure
}

/// A count, a share, a level or a spread. Two figures of the same kind add up.
package enum Figure: Equatable, Sendable {
  case counter(Int)
  case rate(hits: Int, of: Int)
  /// The level at each interval.
  case gauge(LevelSeries)
  case trend(Spread)
}

/// The values of a trend.
package struct Spread: Equatable, Sendable {
  package var histogram: Histogram
  /// Histogram units per unit of the metric.
  package var resolution: Double
}

/// A level at the end of each interval of a run. Levels of shards add up interval by interval, unlike their extremes alone.
package struct LevelSeries: Equatable, Sendable {
  package var levels: [Int] = []
  /// Units of the levels per unit of the metric.
  package var resolution = 1.0

  package var last: Double? { levels.last.map(value) }
  package var least: Double? { levels.min().map(value) }
  package var greatest: Double? { levels.max().map(value) }

  private func value(_ level: Int) -> Double { Double(level) / resolution }
}

extension Figure {
  /// Whether nothing was measured; a counter without events is zero, not empty.
  package var isEmpty: Bool {
    switch self {
    case .counter: false
    case .rate(_, let total): total == 0
    case .gauge(let series): series.levels.isEmpty
    case .trend(let spread): spread.histogram.count == 0
    }
  }

  /// Returns the number that a threshold compares; nil when nothing was measured, except for a count, which is 0 then.
  func measured(_ aggregation: ThresholdExpression.Aggregation, seconds: Double) -> Double? {
    isEmpty && aggregation != .count ? nil : value(aggregation, seconds: seconds)
  }

  /// Returns the number of an aggregation; nil where there is none. `seconds` is the duration of the run.
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

  /// Returns a percentile; `share` is 0 to 100.
  package func percentile(_ share: Double) -> Double? {
    if share == 0 { return value(.minimum) }
    return histogram.value(atQuantile: share / 100).map { Double($0) / resolution }
  }
}

extension Figure {
  func json(seconds: Double) -> JSONValue {
    switch self {
    case .counter(let count):
      let rate = seconds > 0 ? Double(count) / seconds : 0
      return .object(["kind": .string("counter"), "count": .integer(Int64(count)), "rate": .double(rate)])
    case .rate(let hits, let total):
      var object: JSONObject = ["kind": .string("rate"), "hits": .integer(Int64(hits)), "of": .integer(Int64(total))]
      if total > 0 { object["rate"] = .double(Double(hits) / Double(total)) }
      return .object(object)
    case .gauge(let series):
      var object: JSONObject = ["kind": .string("gauge")]
      let isWhole = series.resolution == 1
      for (name, value) in [("value", series.last), ("min", series.least), ("max", series.greatest)] {
        object[name] = value.map { isWhole ? .integer(Int64($0)) : .double($0) }
      }
      if !isWhole { object["resolution"] = .double(series.resolution) }
      object["levels"] = .array(series.levels.map { .integer(Int64($0)) })
      return .object(object)
    case .trend(let spread): return spread.json
    }
  }
}

extension Spread {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["kind": .string("trend"), "count": .integer(Int64(histogram.count))]
    let figures: KeyValuePairs<String, Double?> = [
      "min": value(.minimum), "avg": value(.average), "p50": percentile(50), "p90": percentile(90),
      "p95": percentile(95), "p99": percentile(99), "max": value(.maximum),
    ]
    for (name, figure) in figures { object[name] = figure.map { .double($0) } }
    object["resolution"] = .double(resolution)
    var bytes: [UInt8] = []
    histogram.serialize(into: &bytes)
    object["histogram"] = .string(Hexadecimal.text(bytes))
    return .object(object)
  }
}

/// Bytes as hexadecimal text, two digits each.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}

extension Timeline {
  var json: JSONValue {
    var object: JSONObject = ["widthSeconds": width.json]
    for column in Interval.columns {
      object[column.name] = .array(intervals.map { .integer(Int64($0[keyPath: column.path])) })
    }
    for column in Interval.spreads {
      object[column.name] = .array(
        intervals.map { interval in .array(interval[keyPath: column.path].counts.map { .integer(Int64($0)) }) })
    }
    object["marks"] = .array(
      marks.map { .object(["name": .string($0.name), "fromSeconds": $0.from.json, "untilSeconds": $0.until.json]) })
    return .object(object)
  }
}

extension Timeline.Interval {
  static let columns: [(name: String, path: any WritableKeyPath<Timeline.Interval, Int> & Sendable)] = [
    ("created", \.created), ("delivered", \.delivered), ("uploads", \.uploads), ("failed", \.failed),
    ("bytes", \.bytes), ("backlog", \.backlog), ("active", \.active), ("moving", \.moving), ("inFlight", \.inFlight),
  ]
  static let spreads: [(name: String, path: any WritableKeyPath<Timeline.Interval, StepSpread> & Sendable)] = [
    ("uploadDuration", \.uploadDuration), ("deliveryLatency", \.deliveryLatency),
  ]
}
