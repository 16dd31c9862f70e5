import Base
import Contract
import FleetSimulator
import Scenario

/// Sends metrics and spans to a receiver of OTLP over HTTP.
final class OpenTelemetrySink: MetricsSink {
  let interval: Nanoseconds
  /// The URL for messages, without the password.
  let place: String
  let sender: TelemetrySender
  private let base: String
  private let encoding: OpenTelemetryEncoding
  private let resource: TelemetryResource
  private var clock: TelemetryClock

  init(
    _ output: OpenTelemetryOutput, interval: Nanoseconds, _ resource: TelemetryResource, _ clock: TelemetryClock
  ) throws {
    self.interval = interval
    self.resource = resource
    self.clock = clock
    encoding = output.encoding
    base = OpenTelemetrySink.base(of: output.url)
    place = URLParts(base).withoutUser
    let type = encoding == .json ? ContentType.json : "application/x-protobuf"
    sender = try TelemetrySender(
      .openTelemetry, headers: output.headers.sent(besides: [NameValuePair(HeaderName.contentType, type)], resource))
  }

  /// Collectors receive metrics and traces under one base URL; the path of one of the two is removed.
  private static func base(of url: String) -> String {
    var base = Substring(url)
    while base.hasSuffix("/") { base = base.dropLast() }
    for path in ["/v1/metrics", "/v1/traces"] where base.hasSuffix(path) { base = base.dropLast(path.count) }
    return String(base)
  }

  func take(_ readings: [MetricReading], at instant: MonotonicInstant, isLast: Bool) {
    let start = clock.unixNanoseconds(at: MonotonicInstant(nanoseconds: 0))
    let now = clock.unixNanoseconds(at: instant)
    let metrics = OTLPMetrics(resource: resource, startNanoseconds: start)
    let (body, points) = written { (writer: inout ProtobufWriter) in
      metrics.request(readings, atNanoseconds: now, by: &writer)
    } orJSON: { (writer: inout MessageJSONWriter) in
      metrics.request(readings, atNanoseconds: now, by: &writer)
    }
    sender.send(TelemetryBatch(url: base + "/v1/metrics", body: body, points: points))
  }

  func take(_ spans: [TraceSpan]) {
    let traces = OTLPTraces(resource: resource, clock: clock)
    let body = written { (writer: inout ProtobufWriter) in
      traces.request(spans, by: &writer)
    } orJSON: {
      (writer: inout MessageJSONWriter) in
      traces.request(spans, by: &writer)
    }
    sender.send(TelemetryBatch(url: base + "/v1/traces", body: body, spans: spans.count))
  }

  private func written<Result>(
    _ write: (inout ProtobufWriter) -> Result, orJSON writeJSON: (inout MessageJSONWriter) -> Result
  ) -> Result {
    if encoding == .json {
      var writer = MessageJSONWriter()
      return writeJSON(&writer)
    }
    var writer = ProtobufWriter()
    return write(&writer)
  }

  func begin(at now: WallInstant) { clock.begin(at: now) }
  func settle(at instant: MonotonicInstant) { clock.settle(at: instant) }
}

/// Writes metrics to a Prometheus, or to a receiver compatible with Remote-Write 1.0.
final class RemoteWriteSink: MetricsSink {
  let interval: Nanoseconds
  /// The URL for messages, without the password.
  let place: String
  let sender: TelemetrySender
  private let url: String
  private let message: RemoteWriteMessage
  private var clock: TelemetryClock

  init(
    _ output: RemoteWriteOutput, interval: Nanoseconds, _ scenario: String, _ resource: TelemetryResource,
    _ clock: TelemetryClock
  ) throws {
    self.interval = interval
    self.clock = clock
    url = output.url
    place = URLParts(output.url).withoutUser
    let given = output.labels.map { (name: $0.name, value: $0.value) }
    let own = [(name: "job", value: "rollingroad"), (name: "scenario", value: scenario)]
    message = RemoteWriteMessage(labels: given + own.filter { label in !given.contains { $0.name == label.name } })
    let kind = [
      NameValuePair(HeaderName.contentType, "application/x-protobuf"),
      NameValuePair(HeaderName.contentEncoding, "snappy"),
      NameValuePair("X-Prometheus-Remote-Write-Version", "0.1.0"),
    ]
    sender = try TelemetrySender(.remoteWrite, headers: output.headers.sent(besides: kind, resource))
  }

  func take(_ readings: [MetricReading], at instant: MonotonicInstant, isLast: Bool) {
    let (body, samples) = message.request(
      readings, atMilliseconds: clock.unixMilliseconds(at: instant), isLast: isLast)
    sender.send(TelemetryBatch(url: url, body: body, points: samples))
  }

  func begin(at now: WallInstant) { clock.begin(at: now) }
  func settle(at instant: MonotonicInstant) { clock.settle(at: instant) }
}

extension [Named<String>] {
  /// Returns the fields of the user after those of the protocol, which take precedence.
  fileprivate func sent(besides own: [NameValuePair], _ resource: TelemetryResource) -> [NameValuePair] {
    let own = own + [NameValuePair(HeaderName.userAgent, "rollingroad/\(resource.version)")]
    return own
      + filter { header in !own.contains { $0.name.lowercased() == header.name.lowercased() } }
      .map { NameValuePair($0.name, $0.value) }
  }
}
