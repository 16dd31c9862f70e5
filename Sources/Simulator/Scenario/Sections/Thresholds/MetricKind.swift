/// Which figures a metric has.
package enum MetricKind: String, CaseIterable, Sendable {
  case counter
  case gauge
  case rate
  case trend

  /// The figures by the names that thresholds use; `p(N)` besides, for trends.
  var aggregations: [String] {
    switch self {
    case .counter: ["count", "rate"]
    case .gauge: ["value", "min", "max"]
    case .rate: ["rate"]
    case .trend: ["avg", "min", "med", "max", "count"]
    }
  }
}
