/// All metrics of a process, registered at its start, shown in the order of registration. A value: the renderer has a copy
/// without later registrations, while the metrics in it continue to count.
///
/// Names and labels are constants, so an invalid or repeated one is a programming error.
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
    bounds: [UInt64], divisor: UInt64
  ) -> SharedHistogram {
    let histogram = SharedHistogram(bounds: bounds, divisor: divisor)
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

/// All series of one name; the exposition format groups them under one HELP and TYPE.
struct MetricFamily: Sendable {
  enum Kind: String {
    case counter, gauge, histogram
  }

  let name: String
  let help: String
  let kind: Kind
  private(set) var series: [MetricSeries] = []
  private var labelSets: Set<Set<MetricSeries.Label>> = []

  init(name: String, help: String, kind: Kind, first: MetricSeries) {
    precondition(MetricFamily.isName(name, allowingColon: true), "\(name) is no metric name")
    self.name = name
    self.help = help
    self.kind = kind
    append(first)
  }

  /// The names at the beginning of sample lines.
  var sampleNames: [String] {
    kind == .histogram ? [name, "\(name)_bucket", "\(name)_sum", "\(name)_count"] : [name]
  }

  mutating func append(_ new: MetricSeries) {
    for label in new.labels {
      precondition(MetricFamily.isName(label.name, allowingColon: false), "\(label.name) is no label name")
      precondition(!label.name.hasPrefix("__"), "\(label.name) is reserved")
      precondition(kind != .histogram || label.name != "le", "le belongs to the buckets")
    }
    let names = Set(new.labels.map(\.name))
    precondition(names.count == new.labels.count, "a label of \(name) is repeated")
    precondition(labelSets.insert(Set(new.labels)).inserted, "a series of \(name) is repeated")
    series.append(new)
  }

  /// `[a-zA-Z_:][a-zA-Z0-9_:]*`, https://prometheus.io/docs/concepts/data_model; labels have no colon.
  private static func isName(_ text: String, allowingColon: Bool) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
      default: allowingColon && byte == UInt8(ascii: ":")
      }
    }
  }
}

/// A metric and the labels that distinguish it within its family.
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

/// Prometheus text exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
extension MetricsRegistry {
  package static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

  /// Appends the whole page.
  package func render(into bytes: inout [UInt8]) {
    for family in families {
      bytes.append(text: "# HELP \(family.name) ")
      bytes.append(escaped: family.help, quotes: false)
      bytes.append(text: "\n# TYPE \(family.name) \(family.kind.rawValue)\n")
      for series in family.series { bytes.append(series, of: family.name) }
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Escapes backslash and line feed for help text; also the quote for label values, which are quoted.
  fileprivate mutating func append(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append(text: "\\\\")
      case UInt8(ascii: "\n"): append(text: "\\n")
      case UInt8(ascii: "\"") where quotes: append(text: "\\\"")
      default: append(byte)
      }
    }
  }

  fileprivate mutating func append(_ series: MetricSeries, of name: String) {
    switch series.metric {
    case .counter(let counter): append(sample: name, series.labels, "\(counter.value)")
    case .gauge(let gauge): append(sample: name, series.labels, "\(gauge.value)")
    case .histogram(let histogram): append(histogram, of: name, series.labels)
    }
  }

  private mutating func append(_ histogram: SharedHistogram, of name: String, _ labels: [MetricSeries.Label]) {
    let totals = histogram.totals
    let bounds = histogram.bounds.map { "\(Double($0) / Double(histogram.divisor))" } + ["+Inf"]
    for (bound, count) in zip(bounds, totals.buckets + [totals.count]) {
      append(sample: "\(name)_bucket", labels + [MetricSeries.Label(name: "le", value: bound)], "\(count)")
    }
    append(sample: "\(name)_sum", labels, "\(totals.sum)")
    append(sample: "\(name)_count", labels, "\(totals.count)")
  }

  private mutating func append(sample name: String, _ labels: [MetricSeries.Label], _ value: String) {
    append(text: name)
    for (index, label) in labels.enumerated() {
      append(text: index == 0 ? "{\(label.name)=\"" : ",\(label.name)=\"")
      append(escaped: label.value, quotes: true)
      append(UInt8(ascii: "\""))
    }
    append(text: labels.isEmpty ? " \(value)\n" : "} \(value)\n")
  }
}
