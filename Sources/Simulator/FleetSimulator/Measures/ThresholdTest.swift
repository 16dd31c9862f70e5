import Scenario

/// Compares a figure with a threshold. Accelerated devices' time is faster than their server's, even while they wait for it,
/// so a figure of that time, or of actions during it, is too large by up to the factor. A threshold passes or fails if both
/// the measured value and the value divided by the factor do; otherwise it is not judged.
struct ThresholdTest {
  let expression: ThresholdExpression
  /// The factor by which a figure may be too large.
  let stretch: Double

  init(_ expression: ThresholdExpression, stretch: Double?) {
    self.expression = expression
    self.stretch = stretch ?? 1
  }

  /// Returns the outcome; a nil value means that nothing was measured.
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
  /// Why the threshold is not judged.
  var doubt: String {
    let seconds = stretch == stretch.rounded() ? "\(Int(stretch))" : "\(stretch)"
    return "a second of the server is \(seconds) s of the devices; a smaller factor judges it"
  }

  /// Returns the factor by which a figure may be too large; nil where it is exact.
  static func stretch(_ expression: ThresholdExpression, of measure: Measure, in setup: RunSetup) -> Double? {
    guard let factor = setup.outside?.factor, factor > 1 else { return nil }
    // The number of samples of a trend or rate is exact.
    let isStretched =
      measure.metric.kind == .counter
      ? measure.countsAttempts : (measure.holdsWaits || measure.countsAttempts) && expression.aggregation != .count
    return isStretched ? factor : nil
  }
}

extension RunSummary {
  /// Reports whether times of this metric are device times; other times are the machine's, even in an accelerated run.
  package static func isByDevicesClock(_ metric: String) -> Bool {
    Measure.allCases.contains { $0.metric.name == metric && $0.holdsWaits }
  }
}

extension Measure {
  /// Whether it grows by device time while a device waits for its server or for its turn.
  fileprivate var holdsWaits: Bool {
    switch self {
    case .uploadWait, .recordDeliveryLatency, .queueDepth, .queueOldestAge, .drainTime, .geofenceDelay: true
    default: false
    }
  }

  /// Whether it counts attempts, which a device makes by its own clock: more of them by the factor while its
  /// server is down or slow.
  fileprivate var countsAttempts: Bool { self == .retriesPerRecord || self == .uploads }
}
