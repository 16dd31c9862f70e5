/// A metric of a run, and what it measures.
package struct Metric: Equatable, Sendable {
  package let name: String
  package let kind: MetricKind
  package let text: String

  init(_ name: String, _ kind: MetricKind, _ text: String) {
    self.name = name
    self.kind = kind
    self.text = text
  }

  package static let all: [Metric] = [
    Metric("checks", .rate, "checks that held"),
    Metric("records_created", .counter, "records"),
    Metric("records_delivered", .counter, "records acknowledged"),
    Metric("records_lost", .counter, "acknowledged records neither stored nor quarantined"),
    Metric("records_expired", .counter, "records too old to be sent"),
    Metric("records_evicted", .counter, "records deleted to make room for newer ones"),
    Metric("duplicates_explained", .counter, "repeated arrivals with a known cause"),
    Metric("duplicates_unexplained", .counter, "repeated arrivals without a known cause"),
    Metric("duplicates_ratio", .rate, "share of arrivals that are repeated"),
    Metric(
      "upload_duration", .trend,
      "milliseconds from the request, with a new connection and its handshake, to the answer complete or the timeout"),
    Metric("upload_wait", .trend, "milliseconds from the trigger to the request"),
    Metric(
      "record_delivery_latency", .trend,
      "milliseconds from the position to the acknowledgement, whatever the clock of the device shows"),
    Metric("time_to_visible", .trend, "milliseconds until target.verify sees a record"),
    Metric("queue_depth", .trend, "records queued in a device, sampled at each new record"),
    Metric(
      "queue_oldest_age", .trend, "milliseconds that the oldest record has been queued, sampled at each new record"),
    Metric("drain_time", .trend, "milliseconds from the network's return, or a fault's end, to the empty queue"),
    Metric("batch_size", .trend, "records in a request"),
    Metric("upload_bytes", .trend, "bytes of a request"),
    Metric("uploads", .counter, "requests"),
    Metric("upload_failed", .rate, "requests without a 2xx"),
    Metric(
      "uploads_repeated", .counter, "uploads sent again, after a kept connection had ended without an answer"),
    Metric("retries_per_record", .trend, "requests beyond the first"),
    Metric("tls_handshakes", .counter, "handshakes"),
    Metric("tls_resumed", .counter, "handshakes that resumed an earlier session"),
    Metric("tls_handshake_time", .trend, "milliseconds of a handshake, resumed or not"),
    Metric("connects", .counter, "connections"),
    Metric("connection_reuse", .rate, "requests on a reused connection"),
    Metric("connections_open", .gauge, "connections to the server that are open"),
    Metric("auth_refreshes", .counter, "refreshes of a token"),
    Metric("auth_refresh_failures", .counter, "refreshes that failed"),
    Metric(
      "refusals_until_login", .trend,
      "refused uploads and refreshes of a device with an invalid refresh token, until it had a new token"),
    Metric("refusals_until_stop", .trend, "refused uploads and refreshes of such a device, until its SDK was stopped"),
    Metric(
      "refusals_per_hour", .trend,
      "refused uploads and refreshes in an hour, of such a device that kept sending until the drives ended"),
    Metric("geofence_transitions", .counter, "transitions"),
    Metric("geofence_delay", .trend, "milliseconds from the true crossing to the event"),
    Metric("odometer_error", .trend, "relative error of the odometer"),
    Metric("remote_commands_applied", .counter, "commands that a device carried out"),
    Metric("devices_active", .gauge, "devices with a running app"),
    Metric("devices_moving", .gauge, "devices in motion"),
    Metric("dropped_trips", .counter, "trips that found no free device"),
    Metric("generator_lag", .trend, "milliseconds that the simulator is late"),
    Metric("generator_cpu", .gauge, "share of one processor core"),
    Metric("clauses_broken", .counter, "clauses of `drive` that the answers of a real server break"),
  ]

  /// The names of k6.
  static let aliases: [(name: String, meaning: String)] = [
    ("http_req_duration", "upload_duration"), ("http_req_failed", "upload_failed"), ("http_reqs", "uploads"),
    ("vus", "devices_active"), ("dropped_iterations", "dropped_trips"),
  ]

  package static func named(_ name: String) -> Metric? {
    let meaning = aliases.first { $0.name == name }?.meaning ?? name
    return all.first { $0.name == meaning }
  }

  /// The tags of every metric, besides those of the fleets.
  package static let tags = ["fleet", "device", "network", "status", "batch", "fault", "trigger", "check", "phase"]

  /// The triggers of an upload.
  static let triggers = [
    "insert", "motionChange", "appResume", "appPause", "ready", "start", "connectivity", "heartbeat",
    "backgroundFetch", "configuration", "manual",
  ]
}

/// The kind of a metric, which determines its figures.
package enum MetricKind: String, CaseIterable, Sendable {
  case counter
  case gauge
  case rate
  case trend

  /// The names of the figures in thresholds; trends also have `p(N)`.
  var aggregations: [String] {
    switch self {
    case .counter: ["count", "rate"]
    case .gauge: ["value", "min", "max"]
    case .rate: ["rate"]
    case .trend: ["avg", "min", "med", "max", "count"]
    }
  }
}

/// `upload_duration{fleet:couriers,network:lte}`: a metric, or its part with some tags.
package struct MetricSelector: Equatable, Sendable {
  package let metric: Metric
  package let tags: [Named<String>]
  /// The text as written, for reports.
  package let text: String
  /// Nil for a selector outside a scenario.
  package var position: SourcePosition?

  static let pattern =
    "^[a-z0-9_]+(\\{ *[A-Za-z0-9_-]+ *: *[^,{}]+(, *[A-Za-z0-9_-]+ *: *[^,{}]+)*\\})?$"
}

extension MetricSelector {
  /// Parses a selector that was validated before, as in a summary; nil for anything else.
  package init?(text: String) {
    let name = text.prefix { $0 != "{" }
    guard let metric = Metric.named(String(name)), let parts = MetricSelector.parts(text.dropFirst(name.count)) else {
      return nil
    }
    let halves = parts.compactMap(MetricSelector.halves)
    guard halves.count == parts.count else { return nil }
    self.init(metric: metric, tags: halves.map { Named(name: $0.tag, value: $0.value) }, text: text)
  }

  /// Splits `{tag:value,tag:value}`, or nothing; nil for anything else.
  fileprivate static func parts(_ text: Substring) -> [Substring]? {
    if text.isEmpty { return [] }
    guard text.first == "{", text.last == "}", text.count > 2 else { return nil }
    return text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
  }

  /// Splits `tag:value`; nil for anything else.
  fileprivate static func halves(_ part: Substring) -> (tag: String, value: String)? {
    let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmingSpaces)
    guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else { return nil }
    return (halves[0], halves[1])
  }
}

extension DecodingContext {
  /// Parses a selector; returns nil after a problem was noted.
  mutating func selector(_ text: String, at position: SourcePosition) -> MetricSelector? {
    let name = String(text.prefix { $0 != "{" })
    guard let metric = Metric.named(name) else {
      refuse(
        .unknown, position, word: name, as: "metric", known: Metric.all.map(\.name) + Metric.aliases.map(\.name))
      return nil
    }
    guard let tags = tags(text.dropFirst(name.count), at: position) else { return nil }
    return MetricSelector(metric: metric, tags: tags, text: text, position: position)
  }

  private mutating func tags(_ text: Substring, at position: SourcePosition) -> [Named<String>]? {
    let remedy = "write metric{tag:value,tag:value}"
    guard let parts = MetricSelector.parts(text) else {
      refuse(.wrongType, position, "the tags are malformed", remedy: remedy)
      return nil
    }
    var tags: [Named<String>] = []
    for part in parts {
      guard let (tag, value) = MetricSelector.halves(part) else {
        refuse(.wrongType, position, "'\(part)' is not a tag", remedy: remedy)
        return nil
      }
      guard isKnown(tag, value, at: position) else { return nil }
      guard !tags.contains(where: { $0.name == tag }) else {
        refuse(.contradiction, position, "the tag '\(tag)' is given twice", remedy: "keep one of them")
        return nil
      }
      tags.append(Named(name: tag, position: position, value: value))
    }
    return tags
  }

  private mutating func isKnown(_ tag: String, _ value: String, at position: SourcePosition) -> Bool {
    let known = Metric.tags + names.fleetTags
    guard known.contains(tag) else {
      refuse(.unknown, position, word: tag, as: "tag", known: known)
      return false
    }
    let values: [String]
    switch tag {
    case "fleet": values = names.names(in: .fleets)
    case "network": values = names.names(in: .networks)
    case "check": values = names.names(in: .checks)
    case "fault": values = names.faultNames
    case "batch": return isWord(value, of: ["true", "false"], as: tag, at: position)
    case "trigger": return isWord(value, of: Metric.triggers, as: tag, at: position)
    case "phase": return isWord(value, of: ["drive", "settle"], as: tag, at: position)
    case "status":
      if Int(value) != nil { return true }
      refuse(
        .wrongType, position, "'\(value)' is not a status", remedy: "write a number such as 503, or 0 for no answer")
      return false
    case "device": return true
    default:
      values = names.values(ofFleetTag: tag)
      // The values of placeholders are unknown here.
      if values.contains(where: DevicePlaceholders.stand) { return true }
    }
    guard !values.contains(value) else { return true }
    refuse(.undeclared, position, word: value, as: tag, known: values)
    return false
  }

  private mutating func isWord(
    _ value: String, of values: [String], as tag: String, at position: SourcePosition
  ) -> Bool {
    if values.contains(value) { return true }
    refuse(.unknown, position, word: value, as: tag, known: values)
    return false
  }
}

extension Substring {
  var trimmingSpaces: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
