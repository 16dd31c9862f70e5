/// An output of results, besides those that `--out` always has.
package enum Output: Equatable, Sendable {
  case console(ConsoleOutput)
  case summary(SummaryOutput)
  case junit(JUnitOutput)
  case html(HTMLOutput)
  case histogramLog(HistogramLogOutput)
  case events(EventsOutput)
  case timeline(TimelineOutput)
  case deviceLogs(DeviceLogOutput)
  case prometheus(PrometheusOutput)
  case openTelemetry(OpenTelemetryOutput)
  case remoteWrite(RemoteWriteOutput)
}

extension ValueCodec where Value == Output {
  static var output: ValueCodec {
    let outputs = variants(
      tag: "type",
      [
        Variant("console") { .console($0) }, Variant("summary-json") { .summary($0) },
        Variant("junit") { .junit($0) }, Variant("html") { .html($0) },
        Variant("hdr-log") { .histogramLog($0) },
        Variant("events-ndjson") { .events($0) }, Variant("csv") { .timeline($0) },
        Variant("sdk-log") { .deviceLogs($0) },
        Variant("prometheus") { .prometheus($0) },
        Variant("prometheus-remote-write") { .remoteWrite($0) },
        Variant("otlp-http") { .openTelemetry($0) },
        Variant("otlp-http-json") { (old: JSONTelemetryOutput) in
          var output = OpenTelemetryOutput()
          (output.url, output.encoding) = (old.url, .json)
          return .openTelemetry(output)
        },
      ])
    // Without a type the output has a problem, and the list keeps its other outputs.
    return ValueCodec(outputs.schema) { outputs.read($0, &$1) ?? .console(ConsoleOutput()) }
  }
}

/// The summary and the progress line.
package struct ConsoleOutput: Equatable, Sendable {
  package init() {}
}

extension ConsoleOutput: ScenarioSection {
  static let table = Table<ConsoleOutput>("output-console", "The summary and the progress line.", [])
}

/// All figures of a run as JSON.
package struct SummaryOutput: Equatable, Sendable {
  package var file = ""

  package init() {}
}

extension SummaryOutput: ScenarioSection {
  static let table = Table<SummaryOutput>(
    "output-summary-json", "All figures of a run as JSON.",
    [
      .required("file", \.file, .text, "The file, inside `--out`.")
    ])
}

/// A test case for each threshold, check and invariant.
package struct JUnitOutput: Equatable, Sendable {
  package var file = ""

  package init() {}
}

extension JUnitOutput: ScenarioSection {
  static let table = Table<JUnitOutput>(
    "output-junit", "A test case for each threshold, check and invariant.",
    [
      .required("file", \.file, .text, "The file, inside `--out`.")
    ])
}

/// One page with map and charts.
package struct HTMLOutput: Equatable, Sendable {
  package var file = ""

  package init() {}
}

extension HTMLOutput: ScenarioSection {
  static let table = Table<HTMLOutput>(
    "output-html", "One page with map and charts.",
    [
      .required("file", \.file, .text, "The file, inside `--out`.")
    ])
}

/// Histograms over time.
package struct HistogramLogOutput: Equatable, Sendable {
  package var file = ""

  package init() {}
}

extension HistogramLogOutput: ScenarioSection {
  static let table = Table<HistogramLogOutput>(
    "output-hdr-log", "A log of histograms (HdrHistogram 1.3): a line for each trend and interval, in microseconds.",
    [
      .required("file", \.file, .text, "The file, inside `--out`.")
    ])
}

/// The events, line by line.
package struct EventsOutput: Equatable, Sendable {
  package var file = ""
  package var sample = 1.0

  package init() {}
}

extension EventsOutput: ScenarioSection {
  static let table = Table<EventsOutput>(
    "output-events-ndjson", "Events of the run, one JSON object per line.",
    [
      .required("file", \.file, .text, "The file, inside `--out`."),
      .key("sample", \.sample, .share, "Share of the devices that are included."),
    ])
}

/// The timeline, interval by interval.
package struct TimelineOutput: Equatable, Sendable {
  package var file = ""

  package init() {}
}

extension TimelineOutput: ScenarioSection {
  static let table = Table<TimelineOutput>(
    "output-csv", "The timeline as CSV, a line per interval, written while the run goes on.",
    [
      .required("file", \.file, .text, "The file, inside `--out`.")
    ])
}

/// Logs of devices in the SDK's format.
package struct DeviceLogOutput: Equatable, Sendable {
  package var directory = ""
  package var devices = LoggedDevices.failing

  package init() {}
}

extension DeviceLogOutput: ScenarioSection {
  static let table = Table<DeviceLogOutput>(
    "output-sdk-log", "Logs of devices as the SDK writes them.",
    [
      .required("dir", \.directory, .text, "The folder, inside `--out`."),
      .key("devices", \.devices, .choice, "Devices whose logs are written."),
    ])
}

/// The metrics during the run.
package struct PrometheusOutput: Equatable, Sendable {
  package var listen = "127.0.0.1:9464"

  package init() {}
}

extension PrometheusOutput: ScenarioSection {
  static let table = Table<PrometheusOutput>(
    "output-prometheus", "Metrics of the current run, for Prometheus.",
    [.key("listen", \.listen, .text, "The address to listen on.")])
}

/// The selection of devices with logs.
package enum LoggedDevices: String, CaseIterable, Sendable {
  case failing
  case all
}

extension Output {
  /// The output types of `--output TYPE=VALUE`, with the key that the value sets.
  package static let keysOnCommandLine: KeyValuePairs = [
    "otlp-http": "url", "otlp-http-json": "url", "prometheus-remote-write": "url", "prometheus": "listen",
    "hdr-log": "file", "csv": "file", "events-ndjson": "file", "summary-json": "file", "junit": "file", "html": "file",
    "sdk-log": "dir",
  ]
}
