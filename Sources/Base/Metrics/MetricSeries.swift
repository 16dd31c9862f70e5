/// One metric and the labels that tell it from its siblings.
struct MetricSeries: Sendable {
  struct Label: Hashable, Sendable {
    let name: String
    let value: String
  }

  enum Metric: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(SharedHistogram)
  }

  let labels: [Label]
  let metric: Metric

  init(_ labels: KeyValuePairs<String, String>, _ metric: Metric) {
    self.labels = labels.map { Label(name: $0.key, value: $0.value) }
    self.metric = metric
  }
}
