import Scenario

/// Holds a figure against a threshold. The time of accelerated devices goes on faster than their server's, also while they
/// wait for it: a figure of it, or of what they do meanwhile, is too large by up to the factor. It passes, or is missed, where it would be both as it
/// was measured and without all of that; in between it is not judged.
struct ThresholdTest {
  let expression: ThresholdExpression
  /// How many times too large a figure can be.
  let stretch: Double

  init(_ expression: ThresholdExpression, stretch: Double?) {
    self.expression = expression
    self.stretch = stretch ?? 1
  }

  /// Nil: nothing was measured.
  func outcome(of value: Double?) -> ThresholdVerdict.Outcome {
    guard let value else { return .notMeasured }
    let (comparison, limit) = (expression.comparison, expression.limit)
    let holds = comparison.holds(value, limit)
    guard stretch > 1 else { return holds ? .passed : .failed }
    let least = value / stretch
    let isInside = limit > least && limit < value
    guard comparison.holds(least, limit) == holds, !(isInside && [.equal, .different].contains(comparison)) else {
      return .notJudged
    }
    return holds ? .passed : .failed
  }
}

extension ThresholdTest {
  /// Why it is not judged.
  var doubt: String {
    let seconds = stretch == stretch.rounded() ? "\(Int(stretch))" : "\(stretch)"
    return "a second of the server is \(seconds) s of the devices; a smaller factor judges it"
  }

  /// Nil where a figure is exact.
  static func stretch(_ expression: ThresholdExpression, of measure: Measure, in setup: RunSetup) -> Double? {
    guard let factor = setup.outside?.factor, factor > 1 else { return nil }
    // How many samples there are is no matter of what they show.
    let isStretched =
      measure.metric.kind == .counter
      ? measure.countsAttempts : (measure.holdsWaits || measure.countsAttempts) && expression.aggregation != .count
    return isStretched ? factor : nil
  }
}

extension RunSummary {
  /// Times of this metric are those of the devices; other times are the machine's, also in an accelerated run.
  package static func isByDevicesClock(_ metric: String) -> Bool {
    Measure.allCases.contains { $0.metric.name == metric && $0.holdsWaits }
  }
}

extension Measure {
  /// It grows while a device waits for its server, or has its turn late, by the device's clock.
  fileprivate var holdsWaits: Bool {
    switch self {
    case .uploadWait, .recordDeliveryLatency, .queueDepth, .queueOldestAge, .drainTime, .geofenceDelay: true
    default: false
    }
  }

  /// A device tries again by its own clock: so many times as often while its server is away, or slow.
  fileprivate var countsAttempts: Bool { self == .retriesPerRecord || self == .uploads }
}
