/// All metrics of a process, registered while it is put together, shown in the order of registration. A value: whoever
/// renders holds a copy that nobody registers into any more, while the metrics in it go on counting.
///
/// Names and labels come from code, so a bad or repeated one is a programmer error.
package struct MetricsRegistry: Sendable {
  private(set) var families: [MetricFamily] = []
  private var sampleNames: Set<String> = []

  package init() {}

  package mutating func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Counter {
    let counter = Counter()
    register(name, help: help, type: .counter, MetricSeries(labels, .counter(counter)))
    return counter
  }

  package mutating func gauge(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
    let gauge = Gauge()
    register(name, help: help, type: .gauge, MetricSeries(labels, .gauge(gauge)))
    return gauge
  }

  /// `bounds` are the upper bounds of the buckets in the recorded unit, without infinity; `divisor` recorded units make one
  /// unit on the page.
  package mutating func histogram(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    highestTrackableValue: UInt64, bounds: [UInt64], divisor: UInt64
  ) -> SharedHistogram {
    let histogram = SharedHistogram(
      highestTrackableValue: highestTrackableValue, bounds: bounds, divisor: divisor)
    register(name, help: help, type: .histogram, MetricSeries(labels, .histogram(histogram)))
    return histogram
  }

  /// A counter for each case of `Label`, whose raw value becomes the value of the label `label`.
  package mutating func counters<Label>(
    _ name: String, help: String, label: String, of type: Label.Type = Label.self
  ) -> LabelledMetrics<Label, Counter> {
    LabelledMetrics { counter(name, help: help, labels: [label: $0.rawValue]) }
  }

  /// A gauge for each case of `Label`, whose raw value becomes the value of the label `label`.
  package mutating func gauges<Label>(
    _ name: String, help: String, label: String, of type: Label.Type = Label.self
  ) -> LabelledMetrics<Label, Gauge> {
    LabelledMetrics { gauge(name, help: help, labels: [label: $0.rawValue]) }
  }

  private mutating func register(_ name: String, help: String, type: MetricFamily.Kind, _ series: MetricSeries) {
    guard let index = families.firstIndex(where: { $0.name == name }) else {
      let family = MetricFamily(name: name, help: help, kind: type, first: series)
      for sample in family.sampleNames {
        precondition(sampleNames.insert(sample).inserted, "\(sample) is a sample of two metrics")
      }
      families.append(family)
      return
    }
    precondition(families[index].kind == type, "\(name) is registered with another type")
    precondition(families[index].help == help, "\(name) is registered with another help text")
    families[index].append(series)
  }
}
