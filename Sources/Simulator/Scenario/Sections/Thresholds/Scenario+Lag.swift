extension Scenario {
  /// Where the wall clock counts, a generator that was late makes a run invalid, unless the scenario says what is late.
  package mutating func limitGeneratorLag() {
    guard clock.mode == .realtime || clock.mode == .accelerated, let metric = Metric.named("generator_lag"),
      !thresholds.contains(where: { $0.selector.metric.name == metric.name }),
      let expression = ThresholdExpression("p(99)<250", of: metric)
    else { return }
    let selector = MetricSelector(metric: metric, tags: [], text: metric.name)
    thresholds.append(
      MetricThresholds(selector: selector, thresholds: [Threshold(expression: expression, onFail: .invalidate)]))
  }
}
