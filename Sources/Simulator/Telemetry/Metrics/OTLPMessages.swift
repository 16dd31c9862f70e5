import Base
import FleetSimulator
import Scenario

/// The OTLP description of the sender: opentelemetry/proto/common/v1, resource/v1.
struct TelemetryResource {
  let attributes: [(name: String, value: AttributeValue)]
  let version: String
}

/// The value of an attribute.
enum AttributeValue {
  case text(String)
  case integer(Int64)
}

extension MessageWriter {
  /// Writes `repeated KeyValue`.
  mutating func attributes(_ field: MessageField, _ attributes: [(name: String, value: AttributeValue)]) {
    messages(field, attributes) { attribute, writer in
      writer.text(MessageField(1, "key"), attribute.name)
      writer.message(MessageField(2, "value")) { writer in
        switch attribute.value {
        case .text(let text): writer.text(MessageField(1, "stringValue"), text, isOptional: true)
        case .integer(let number): writer.integer(MessageField(3, "intValue"), number, isOptional: true)
        }
      }
    }
  }

  /// Writes one resource with one scope, for metrics and for spans.
  mutating func resource(
    _ resource: TelemetryResource, _ field: MessageField, scopes: MessageField, _ body: (inout Self) -> Void
  ) {
    messages(field, [resource]) { resource, writer in
      writer.message(MessageField(1, "resource")) { $0.attributes(MessageField(1, "attributes"), resource.attributes) }
      writer.messages(scopes, [resource]) { resource, writer in
        writer.message(MessageField(1, "scope")) { writer in
          writer.text(MessageField(1, "name"), "rollingroad")
          writer.text(MessageField(2, "version"), resource.version)
        }
        body(&writer)
      }
    }
  }
}

/// The figures of a run as an `ExportMetricsServiceRequest`: opentelemetry/proto/metrics/v1. Sums and histograms are
/// cumulative since the start of the run, so that a lost point does no harm.
struct OTLPMetrics {
  let resource: TelemetryResource
  let startNanoseconds: UInt64

  private static let cumulative: UInt32 = 2

  /// Returns the message and its number of points.
  func request<Writer: MessageWriter>(
    _ readings: [MetricReading], atNanoseconds now: UInt64, by writer: inout Writer
  ) -> (body: [UInt8], points: Int) {
    var points = 0
    // Series of one metric are adjacent.
    let metrics = readings.filter { !$0.figure.isEmpty }.chunked { $0.name == $1.name }
    writer.resource(resource, MessageField(1, "resourceMetrics"), scopes: MessageField(2, "scopeMetrics")) { writer in
      writer.messages(MessageField(2, "metrics"), metrics) { metric, writer in
        guard let first = metric.first else { return }
        writer.text(MessageField(1, "name"), "rollingroad.fleet.\(first.name)")
        writer.text(MessageField(2, "description"), first.help)
        writer.text(MessageField(3, "unit"), first.unit)
        points += data(of: metric, first.kind, now, &writer)
      }
    }
    return (writer.finish(), points)
  }

  private func data<Writer: MessageWriter>(
    of readings: [MetricReading], _ kind: MetricKind, _ now: UInt64, _ writer: inout Writer
  ) -> Int {
    var points = 0
    switch kind {
    case .counter, .rate:
      writer.message(MessageField(7, "sum")) { writer in
        points += sums(of: readings, now, &writer)
        writer.small(MessageField(2, "aggregationTemporality"), OTLPMetrics.cumulative)
        writer.flag(MessageField(3, "isMonotonic"), true)
      }
    case .gauge:
      writer.message(MessageField(5, "gauge")) { writer in
        writer.messages(MessageField(1, "dataPoints"), readings) { reading, writer in
          guard case .gauge(let levels) = reading.figure, let last = levels.last else { return }
          points += 1
          writer.fixed(MessageField(3, "timeUnixNano"), now)
          writer.double(MessageField(4, "asDouble"), last, isOptional: true)
          writer.attributes(MessageField(7, "attributes"), reading.attributes())
        }
      }
    case .trend:
      writer.message(MessageField(10, "exponentialHistogram")) { writer in
        writer.messages(MessageField(1, "dataPoints"), readings) { reading, writer in
          guard case .trend(let spread) = reading.figure else { return }
          points += 1
          histogram(spread, units: spread.resolution * reading.unitsInBase, reading.attributes(), now, &writer)
        }
        writer.small(MessageField(2, "aggregationTemporality"), OTLPMetrics.cumulative)
      }
    }
    return points
  }

  /// Writes the `NumberDataPoint`s of counters, or of both parts of rates.
  private func sums<Writer: MessageWriter>(
    of readings: [MetricReading], _ now: UInt64, _ writer: inout Writer
  ) -> Int {
    var parts: [(value: Int, attributes: [(name: String, value: AttributeValue)])] = []
    for reading in readings {
      switch reading.figure {
      case .counter(let count): parts.append((count, reading.attributes()))
      case .rate(let hits, let total):
        parts.append((hits, reading.attributes(is: "true")))
        parts.append((total - hits, reading.attributes(is: "false")))
      case .gauge, .trend: break
      }
    }
    writer.messages(MessageField(1, "dataPoints"), parts) { part, writer in
      writer.fixed(MessageField(2, "startTimeUnixNano"), startNanoseconds)
      writer.fixed(MessageField(3, "timeUnixNano"), now)
      writer.signedFixed(MessageField(6, "asInt"), Int64(part.value), isOptional: true)
      writer.attributes(MessageField(7, "attributes"), part.attributes)
    }
    return parts.count
  }

  /// Writes an `ExponentialHistogramDataPoint`.
  private func histogram<Writer: MessageWriter>(
    _ spread: Spread, units: Double, _ attributes: [(name: String, value: AttributeValue)], _ now: UInt64,
    _ writer: inout Writer
  ) {
    let histogram = spread.histogram
    let buckets = ExponentialBuckets(histogram, units: units)
    writer.attributes(MessageField(1, "attributes"), attributes)
    writer.fixed(MessageField(2, "startTimeUnixNano"), startNanoseconds)
    writer.fixed(MessageField(3, "timeUnixNano"), now)
    writer.fixed(MessageField(4, "count"), histogram.count)
    writer.double(MessageField(5, "sum"), Double(histogram.sum) / units, isOptional: true)
    writer.zigzag(MessageField(6, "scale"), buckets.scale)
    writer.fixed(MessageField(7, "zeroCount"), buckets.zeroCount)
    writer.message(MessageField(8, "positive")) { writer in
      writer.zigzag(MessageField(1, "offset"), buckets.offset)
      writer.counts(MessageField(2, "bucketCounts"), buckets.counts)
    }
    writer.double(MessageField(12, "min"), Double(histogram.minimum ?? 0) / units, isOptional: true)
    writer.double(MessageField(13, "max"), Double(histogram.maximum ?? 0) / units, isOptional: true)
  }
}

extension MetricReading {
  /// The unit in UCUM, as OpenTelemetry requires.
  fileprivate var unit: String {
    if isTime { return "s" }
    return name.hasSuffix("_bytes") ? "By" : ""
  }

  fileprivate func attributes(is half: String? = nil) -> [(name: String, value: AttributeValue)] {
    (fleet.map { [("fleet", .text($0))] } ?? []) + (half.map { [("is", .text($0))] } ?? [])
  }
}

extension Array {
  /// Groups adjacent elements.
  func chunked(_ belong: (Element, Element) -> Bool) -> [[Element]] {
    var chunks: [[Element]] = []
    for element in self {
      if let last = chunks.last?.last, belong(last, element) {
        chunks[chunks.count - 1].append(element)
      } else {
        chunks.append([element])
      }
    }
    return chunks
  }
}
