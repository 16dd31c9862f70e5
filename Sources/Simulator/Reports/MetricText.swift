import Base
package import FleetSimulator
import Oracle
import Scenario

/// Figures in the units of their metrics.
package enum MetricText {
  /// The unit of a metric.
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
    case let name: Metric.named(String(name))?.kind == .rate ? .share : .number
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

  /// Returns the value that a threshold compared; a rate is a share, and a count does not have the metric's unit.
  package static func text(_ verdict: ThresholdVerdict) -> String {
    let range = verdict.value.flatMap { most in
      verdict.stretch.map {
        "\(text(most / $0, of: verdict.selection)) to \(text(most, of: verdict.selection))"
      }
    }
    if verdict.outcome == .notJudged {
      return (range.map { $0 + ", " } ?? "") + "not judged: \(verdict.reason ?? Verification.unverified)"
    }
    if verdict.outcome == .failed, let range { return range }
    guard let value = verdict.value else { return "nothing measured" }
    if let text = nearMiss(value, verdict) { return text }
    let expression = verdict.expression.drop { $0 == " " }
    if expression.hasPrefix("count") { return NumberText.figure(value) }
    if expression.hasPrefix("rate") {
      return unit(of: verdict.selection) == .share ? NumberText.percent(value) : NumberText.figure(value) + "/s"
    }
    return text(value, of: verdict.selection)
  }
}

extension MetricText {
  /// Formats a value that misses its limit by so little that three digits may show it on the other side: with the limit's
  /// digits, and as many more as show the difference. Nil for any other value.
  private static func nearMiss(_ value: Double, _ verdict: ThresholdVerdict) -> String? {
    guard verdict.outcome == .failed,
      let threshold = ThresholdExpression(verdict.expression, selection: verdict.selection),
      value != threshold.limit, (value - threshold.limit).magnitude < 0.005 * threshold.limit.magnitude
    else { return nil }
    let (factor, word) =
      switch unit(of: verdict.selection) {
      case .milliseconds: (1.0, " ms")
      case .bytes: (1.0, " B")
      case .share: (100.0, " %")
      case .number: (1.0, threshold.aggregation == .rate ? "/s" : "")
      }
    let digits = verdict.expression.firstIndex(of: ".").map { verdict.expression[$0...].dropFirst().count } ?? 0
    var (places, scale) = (0, factor)
    while places < 6,
      places < digits || threshold.comparison.holds((value * scale).rounded() / scale, threshold.limit)
    {
      (places, scale) = (places + 1, scale * 10)
    }
    return NumberText.decimal(value * factor, places: places) + word
  }

  /// `p(95)<5m`: the limit in the form of its value.
  static func expression(_ verdict: ThresholdVerdict) -> String {
    let aggregation = ThresholdExpression(verdict.expression, selection: verdict.selection)?.aggregation
    if aggregation == .count || aggregation == .rate { return verdict.expression }
    let operatorEnd = verdict.expression.lastIndex { "<>=".contains($0) } ?? verdict.expression.startIndex
    let (head, limit) = (verdict.expression[...operatorEnd], verdict.expression[operatorEnd...].dropFirst())
    return switch unit(of: verdict.selection) {
    case .milliseconds: head + limit.prefix { $0 == " " } + span(limit.filter { $0 != " " })
    case .bytes: verdict.expression + " B"
    case .share, .number: verdict.expression
    }
  }

  /// Formats milliseconds in larger units, where that is exact.
  private static func span(_ milliseconds: String) -> String {
    guard let number = Double(milliseconds), let whole = Int64(exactly: number / 1_000), whole > 0 else {
      return milliseconds + " ms"
    }
    let unit: Int64 = whole < 3_600 ? 1 : whole < 86_400 ? 60 : 3_600
    return whole % unit == 0 ? NumberText.span(.seconds(whole)) : milliseconds + " ms"
  }

  /// `drain_time p(95)<5m was 8m 03s`.
  static func sentence(_ verdict: ThresholdVerdict) -> String {
    "\(verdict.selection) \(expression(verdict))" + (verdict.value == nil ? "" : " was \(text(verdict))")
  }
}
