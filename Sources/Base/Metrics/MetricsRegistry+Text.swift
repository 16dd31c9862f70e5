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

  /// Help text escapes backslash and line feed; the value of a label, which stands in quotes, the quote as well.
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
    let totals = histogram.totals()
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
