internal import Contract
internal import JSON

/// All thresholds of one selection of a metric.
package struct MetricThresholds: Equatable, Sendable {
  package let selector: MetricSelector
  package let thresholds: [Threshold]
}

extension Form where Value == [MetricThresholds] {
  static var thresholds: Form {
    let text = Form<String>.text(pattern: ThresholdExpression.pattern, words: ThresholdSection.words)
    let section = Form<ThresholdSection>.section()
    let one = Shape.list(.anyOf([text.shape, section.shape]), count: 1...100)
    return Form(.map(one, names: nil), show: { $0.isEmpty ? .emptyObject : nil }) { value, reading in
      guard case .object(let members) = value.content else {
        reading.refuse(value, expected: "an object of metrics")
        return nil
      }
      return members.compactMap { member in
        reading.inside(member.key.asPathStep) { $0.thresholds(member, section) }
      }
    }
  }
}

extension Reading {
  fileprivate mutating func thresholds(
    _ member: JSON5Value.Member, _ section: Form<ThresholdSection>
  ) -> MetricThresholds? {
    guard let selector = selector(member.key, at: member.position) else { return nil }
    let list = Form<[Threshold]>.list(of: .threshold(of: selector.metric, section), count: 1...100)
    return list.read(member.value, &self).map { MetricThresholds(selector: selector, thresholds: $0) }
  }
}

extension Form where Value == Threshold {
  fileprivate static func threshold(of metric: Metric, _ section: Form<ThresholdSection>) -> Form {
    Form(section.shape) { value, reading in
      var written = ThresholdSection()
      if case .string(let text) = value.content {
        written.text = text
      } else if case .object = value.content, let read = section.read(value, &reading) {
        written = read
        if value["threshold"] == nil { return nil }
      } else {
        reading.refuse(value, expected: ThresholdSection.words)
        return nil
      }
      guard let expression = ThresholdExpression(written.text, of: metric) else {
        let figures = metric.kind.aggregations + (metric.kind == .trend ? ["p(N)"] : [])
        reading.refuse(
          .wrongType, value.position, "'\(written.text)' is no threshold of the \(metric.kind.rawValue) \(metric.name)",
          remedy: "write \(figures.joined(separator: ", ")), a comparison and a number")
        return nil
      }
      return Threshold(
        expression: expression, abortOnFail: written.abortOnFail, delayAbortEval: written.delayAbortEval,
        onFail: written.onFail)
    }
  }
}
