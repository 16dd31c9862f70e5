/// One metric for each case of an enum: the set of series is bounded by the type, whatever clients send.
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
