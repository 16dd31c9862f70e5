package import Base

/// Metrics and traces, sent to a receiver of OTLP over HTTP.
package struct OpenTelemetryOutput: Equatable, Sendable {
  /// Empty: not sent.
  package var url = ""
  package var encoding = OpenTelemetryEncoding.protobuf
  package var headers: [Named<String>] = []
  /// In the time of the run; nil: ten seconds of the machine's clock.
  package var interval: Nanoseconds?
  /// The share of devices whose records are traced; nil: that of up to 50 devices.
  package var sample: Double?
  package var attributes: [Named<String>] = []
  package var time = TelemetryTime.automatic

  package init() {}
}

extension OpenTelemetryOutput: ScenarioSection {
  static let table = Table<OpenTelemetryOutput>(
    "output-otlp-http", "Metrics, and a trace for each record, sent by OTLP over HTTP.",
    [
      .required(
        "url", \.url, .possiblyEmptyURL,
        "The receiver, as in `http://127.0.0.1:4318`; `/v1/metrics` and `/v1/traces` are added. An empty text disables it."
      ),
      .key("encoding", \.encoding, .choice, "How messages are written."),
      .key("headers", \.headers, .map(of: .text), "Headers of every request to the receiver."),
      .optional(
        "interval", \.interval, .interval,
        "How often metrics are sent; by default every 10s, and in virtual time at most 181 times."),
      .optional(
        "sample", \.sample, .share,
        "Share of the devices whose records are traced; 0 for metrics alone. By default, up to 50 devices."),
      .key(
        "attributes", \.attributes, .map(of: .text), "Attributes of the resource, beside `service.name` and others."),
      .key("time", \.time, .choice, TelemetryTime.text),
    ])
}

/// The encoding of OTLP messages.
package enum OpenTelemetryEncoding: String, CaseIterable, Sendable {
  case protobuf
  case json
}

/// `otlp-http-json`, short for `otlp-http` with the encoding `json`.
struct JSONTelemetryOutput: Equatable, Sendable {
  var url = ""
}

extension JSONTelemetryOutput: ScenarioSection {
  static let table = Table<JSONTelemetryOutput>(
    "output-otlp-http-json", "As `otlp-http` with `encoding: \"json\"`.",
    [.required("url", \.url, .possiblyEmptyURL, "The receiver; an empty text disables it.")])
}

/// Metrics, written to a Prometheus or a compatible receiver.
package struct RemoteWriteOutput: Equatable, Sendable {
  package var url = ""
  package var headers: [Named<String>] = []
  /// In the time of the run; nil: ten seconds of the machine's clock.
  package var interval: Nanoseconds?
  package var labels: [Named<String>] = []
  package var time = TelemetryTime.now

  package init() {}
}

extension RemoteWriteOutput: ScenarioSection {
  static let table = Table<RemoteWriteOutput>(
    "output-prometheus-remote-write", "Metrics, sent by Prometheus Remote-Write 1.0.",
    [
      .required("url", \.url, .httpURL, "The receiver, as in `http://127.0.0.1:9090/api/v1/write`."),
      .key("headers", \.headers, .map(of: .text), "Headers of every request to the receiver."),
      .optional(
        "interval", \.interval, .interval,
        "How often metrics are sent; by default every 10s, and in virtual time at most 181 times."),
      .key("labels", \.labels, .map(of: .text), "Labels of every series, beside `job` and `scenario`."),
      .key("time", \.time, .choice, TelemetryTime.text),
    ])
}

/// The time base of metrics and traces.
package enum TelemetryTime: String, CaseIterable, Sendable {
  case automatic = "auto"
  case simulated
  case now

  fileprivate static let text =
    "Time of points and spans: `simulated` is the scenario's clock; `now` is the machine's clock, at which a virtual run ends; "
    + "`auto` is `simulated` in virtual time and lockstep, otherwise `now`."
}

extension ValueCodec where Value == String {
  fileprivate static var possiblyEmptyURL: ValueCodec {
    let words = "an http or https URL with a host, or an empty text"
    return ValueCodec(.text(pattern: nil, words: words)) { value, context in
      if case .string(let text) = value.content, text.isEmpty || isHTTPURL(text) { return text }
      context.refuse(value, expected: words)
      return nil
    }
  }
}

extension ValueCodec where Value == Nanoseconds {
  /// Limited, so that a run does not spend its time sending.
  fileprivate static var interval: ValueCodec {
    duration.map(words: "a duration from 100ms to 24h") { span in
      span >= .milliseconds(100) && span <= .seconds(86_400) ? span : nil
    }
  }
}
