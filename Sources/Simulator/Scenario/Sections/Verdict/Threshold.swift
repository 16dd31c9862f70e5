package import Base
internal import Contract
internal import JSON

/// A threshold for a figure of a run.
package struct Threshold: Equatable, Sendable {
  package var expression: ThresholdExpression
  package var abortOnFail = false
  /// Delay after the start before the threshold is first evaluated.
  package var delayAbortEval = Nanoseconds.zero
  package var onFail = ThresholdFailure.fail
}

/// `{ threshold, abortOnFail, delayAbortEval, onFail }`.
struct ThresholdSection: ScenarioSection {
  var text = ""
  var abortOnFail = false
  var delayAbortEval = Nanoseconds.zero
  var onFail = ThresholdFailure.fail

  static let words = "a threshold as in \"p(95)<800\""

  static let table = Table<ThresholdSection>(
    "threshold", "A limit for a metric and its effect; the limit may also be written alone.",
    [
      .required("threshold", \.text, .text(pattern: ThresholdExpression.pattern, words: words), "The figure."),
      .key("abortOnFail", \.abortOnFail, .boolean, "End the run when the threshold is missed."),
      .key(
        "delayAbortEval", \.delayAbortEval, .duration, "Delay after the start before the threshold is first evaluated."),
      .key("onFail", \.onFail, .choice, "Whether missing it fails the run or makes it invalid."),
    ])
}

/// `p(95)<800`, in the notation of k6.
package struct ThresholdExpression: Equatable, Sendable {
  /// A figure of a metric.
  package enum Aggregation: Equatable, Sendable {
    case average, minimum, median, maximum, count, rate, value
    /// 0 to 100.
    case percentile(Double)
  }

  package let aggregation: Aggregation
  package let comparison: Comparison
  package let limit: Double
  /// The text as written, for reports.
  package let text: String

  static let pattern =
    "^ *(avg|min|med|max|count|rate|value|p\\([0-9]+(\\.[0-9]+)?\\)) *(===|!==|==|!=|<=|>=|<|>) *-?[0-9]+(\\.[0-9]+)? *$"

  /// Parses the text of a report; nil for an invalid one. `selection` is `upload_duration{network:lte}`.
  package init?(_ text: String, selection: String) {
    guard let metric = Metric.named(String(selection.prefix { $0 != "{" })) else { return nil }
    self.init(text, of: metric)
  }

  /// Nil for an invalid text; `metric` determines the possible figures.
  init?(_ text: String, of metric: Metric) {
    let trimmed = text.drop { $0 == " " }
    let name = trimmed.prefix { !" =!<>".contains($0) }
    guard let (comparison, limit) = Comparison.split(trimmed.dropFirst(name.count).drop(while: { $0 == " " })),
      let aggregation = Aggregation(name, of: metric.kind)
    else { return nil }
    self.aggregation = aggregation
    self.comparison = comparison
    self.limit = limit
    self.text = text
  }
}

extension ThresholdExpression.Aggregation {
  fileprivate init?(_ name: Substring, of kind: MetricKind) {
    if kind == .trend, name.hasPrefix("p("), name.hasSuffix(")") {
      guard let share = Comparison.number(name.dropFirst(2).dropLast()), (0...100).contains(share) else { return nil }
      self = .percentile(share)
      return
    }
    guard kind.aggregations.contains(String(name)) else { return nil }
    switch name {
    case "avg": self = .average
    case "min": self = .minimum
    case "med": self = .median
    case "max": self = .maximum
    case "count": self = .count
    case "rate": self = .rate
    default: self = .value
    }
  }
}

/// The meaning of a missed threshold.
package enum ThresholdFailure: String, CaseIterable, Sendable {
  /// The server fails: exit code 99.
  case fail
  /// The run is invalid: exit code 97.
  case invalidate
}

/// All thresholds of one selection of a metric.
package struct MetricThresholds: Equatable, Sendable {
  package let selector: MetricSelector
  package internal(set) var thresholds: [Threshold]
}

extension Scenario {
  /// The scenario for a part of a run, which cannot decide when the whole must end.
  package var withoutEndings: Scenario {
    var copy = self
    for sectionIndex in thresholds.indices {
      for thresholdIndex in thresholds[sectionIndex].thresholds.indices {
        copy.thresholds[sectionIndex].thresholds[thresholdIndex].abortOnFail = false
      }
    }
    return copy
  }
}

extension ValueCodec where Value == [MetricThresholds] {
  static var thresholds: ValueCodec {
    let text = ValueCodec<String>.text(pattern: ThresholdExpression.pattern, words: ThresholdSection.words)
    let section = ValueCodec<ThresholdSection>.section()
    let one = ValueSchema.list(.anyOf([text.schema, section.schema]), count: 1...100)
    return ValueCodec(.map(one, names: nil), show: { $0.isEmpty ? .emptyObject : nil }) { value, context in
      guard case .object(let members) = value.content else {
        context.refuse(value, expected: "an object of metrics")
        return nil
      }
      return members.compactMap { member in
        context.inside(member.key.asPathStep) { $0.thresholds(member, section) }
      }
    }
  }
}

extension DecodingContext {
  fileprivate mutating func thresholds(
    _ member: JSON5Value.Member, _ section: ValueCodec<ThresholdSection>
  ) -> MetricThresholds? {
    guard let selector = selector(member.key, at: member.position) else { return nil }
    let list = ValueCodec<[Threshold]>.list(of: .threshold(of: selector.metric, section), count: 1...100)
    return list.read(member.value, &self).map { MetricThresholds(selector: selector, thresholds: $0) }
  }
}

extension ValueCodec where Value == Threshold {
  fileprivate static func threshold(of metric: Metric, _ section: ValueCodec<ThresholdSection>) -> ValueCodec {
    ValueCodec(section.schema) { value, context in
      var written = ThresholdSection()
      if case .string(let text) = value.content {
        written.text = text
      } else if case .object = value.content, let read = section.read(value, &context) {
        written = read
        if value["threshold"] == nil { return nil }
      } else {
        context.refuse(value, expected: ThresholdSection.words)
        return nil
      }
      guard let expression = ThresholdExpression(written.text, of: metric) else {
        let figures = metric.kind.aggregations + (metric.kind == .trend ? ["p(N)"] : [])
        context.refuse(
          .wrongType, value.position,
          "'\(written.text)' is not a valid threshold for the \(metric.kind.rawValue) \(metric.name)",
          remedy: "write \(figures.joined(separator: ", ")), a comparison and a number")
        return nil
      }
      return Threshold(
        expression: expression, abortOnFail: written.abortOnFail, delayAbortEval: written.delayAbortEval,
        onFail: written.onFail)
    }
  }
}

extension Scenario {
  /// Adds a threshold that invalidates a run whose generator was late by the wall clock, unless the scenario defines one.
  package mutating func limitGeneratorLag() {
    guard clock.mode == .realtime || clock.mode == .accelerated, let metric = Metric.named("generator_lag"),
      !thresholds.contains(where: { $0.selector.metric.name == metric.name }),
      let expression = ThresholdExpression("p(99)<250", of: metric)
    else { return }
    let selector = MetricSelector(metric: metric, tags: [], text: metric.name)
    thresholds.append(
      MetricThresholds(selector: selector, thresholds: [Threshold(expression: expression, onFail: .invalidate)]))
  }
}
