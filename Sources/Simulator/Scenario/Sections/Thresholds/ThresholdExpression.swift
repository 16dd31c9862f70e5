/// `p(95)<800`, as k6 has it.
package struct ThresholdExpression: Equatable, Sendable {
  /// A figure of a metric.
  package enum Aggregation: Equatable, Sendable {
    case average, minimum, median, maximum, count, rate, value
    /// 0 to 100.
    case percentile(Double)
  }

  package let aggregation: Aggregation
  package let comparison: Comparison
  package let limit: Double
  /// As it was written, for reports.
  package let text: String

  static let pattern =
    "^ *(avg|min|med|max|count|rate|value|p\\([0-9]+(\\.[0-9]+)?\\)) *(===|!==|==|!=|<=|>=|<|>) *-?[0-9]+(\\.[0-9]+)? *$"

  /// Reads what reports say; nil for what is none. `selection` is `upload_duration{network:lte}`.
  package init?(_ text: String, selection: String) {
    guard let metric = Metric.named(String(selection.prefix { $0 != "{" })) else { return nil }
    self.init(text, of: metric)
  }

  /// Nil for what is none; `metric` decides which figures there are.
  init?(_ text: String, of metric: Metric) {
    let trimmed = text.drop { $0 == " " }
    let name = trimmed.prefix { !" =!<>".contains($0) }
    guard let (comparison, limit) = Comparison.split(trimmed.dropFirst(name.count).drop(while: { $0 == " " })),
      let aggregation = Aggregation(name, of: metric.kind)
    else { return nil }
    self.aggregation = aggregation
    self.comparison = comparison
    self.limit = limit
    self.text = text
  }
}

extension ThresholdExpression.Aggregation {
  fileprivate init?(_ name: Substring, of kind: MetricKind) {
    if kind == .trend, name.hasPrefix("p("), name.hasSuffix(")") {
      guard let share = Comparison.number(name.dropFirst(2).dropLast()), (0...100).contains(share) else { return nil }
      self = .percentile(share)
      return
    }
    guard kind.aggregations.contains(String(name)) else { return nil }
    switch name {
    case "avg": self = .average
    case "min": self = .minimum
    case "med": self = .median
    case "max": self = .maximum
    case "count": self = .count
    case "rate": self = .rate
    default: self = .value
    }
  }
}
