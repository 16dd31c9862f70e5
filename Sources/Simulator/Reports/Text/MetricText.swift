package import FleetSimulator
import Scenario

/// Figures in the units of their metrics.
package enum MetricText {
  /// What a number of the metric of that name means.
  enum Unit {
    case milliseconds, bytes, share, number
  }

  static func unit(of name: String) -> Unit {
    switch name.prefix(while: { $0 != "{" }) {
    case "upload_duration", "upload_wait", "record_delivery_latency", "time_to_visible", "queue_oldest_age",
      "drain_time", "geofence_delay", "generator_lag", "http_req_duration":
      .milliseconds
    case "upload_bytes": .bytes
    case "odometer_error": .share
    default: .number
    }
  }

  static func text(_ value: Double, of name: String) -> String {
    switch unit(of: name) {
    case .milliseconds: NumberText.span(milliseconds: value)
    case .bytes: NumberText.bytes(value)
    case .share: NumberText.percent(value)
    case .number: NumberText.figure(value)
    }
  }

  /// What a threshold was held against; a rate is a share, a count is none of the metric's units.
  package static func text(_ verdict: ThresholdVerdict) -> String {
    if verdict.outcome == .notJudged { return "not judged: storage not verified" }
    guard let value = verdict.value else { return "nothing measured" }
    let expression = verdict.expression.drop { $0 == " " }
    if expression.hasPrefix("count") { return NumberText.figure(value) }
    if expression.hasPrefix("rate") {
      let name = verdict.selection.prefix { $0 != "{" }
      let isShare = Metric.all.contains { $0.name == name && $0.kind == .rate } || name == "http_req_failed"
      return isShare ? NumberText.percent(value) : NumberText.figure(value) + "/s"
    }
    return text(value, of: verdict.selection)
  }
}
