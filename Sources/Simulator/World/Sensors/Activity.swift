package import Base

/// The motion sensors of one device, which detect activities with a delay and sometimes wrongly.
///
/// At most one report is pending; a change that ends before it is detected is never reported, such as a short stop at a light.
///
/// An uncertain report is repeated once it is certain. While the app is awake, a rest is reported repeatedly with rising
/// confidence: in a device's log `still` comes with 33 %, again seconds later, and then with 100 %, and Android reports at
/// intervals (SDK §12.6.6). An app that starts to request activities receives the last report (SDK §12.4.4).
package struct ActivitySensor: Sendable {
  private var stream: RestingStream
  private var truth: MotionActivity
  private var reported: MotionActivity
  /// The confidence of the last report in percent.
  private var confidence: Int
  private var pending: ActivityReport?
  /// When the current rest is reported again.
  private var repetition: MonotonicInstant?
  /// When an app that has started to request activities receives the last report.
  private var answer: MonotonicInstant?

  private let shares: ActivityShares?

  private static let confusionShare = 0.12
  /// The mean duration of a mistake.
  private static let mistakeSeconds = 25.0
  /// Mistakes have a lower confidence.
  private static let sureConfidence = 75
  /// The interval of repeated reports of a rest.
  private static let repetitionInterval = Nanoseconds.seconds(60)
  private static let answerDelay = Nanoseconds.seconds(1)

  /// The sensor starts with the truth. `shares` refer to the time in motion.
  package init(
    truth: MotionActivity, at instant: MonotonicInstant, shares: ActivityShares? = nil, seed: UInt64, device: UInt64
  ) {
    self.shares = shares
    stream = RestingStream(.activity, seed: seed, device: device)
    self.truth = truth
    (reported, confidence) = (truth, 100)
    pending = mistake(after: instant)
  }

  /// The time of the next report; nil without one.
  package var nextInstant: MonotonicInstant? {
    earlier(earlier(answer, repetition), pending?.instant)
  }

  /// Notes the body's activity from an instant on. Has no effect if it is unchanged.
  package mutating func observe(_ activity: MotionActivity, at instant: MonotonicInstant) {
    guard activity != truth else { return }
    truth = activity
    repetition = nil
    guard reported != truth || confidence < ActivitySensor.sureConfidence else {
      return pending = mistake(after: instant)
    }
    let median = ActivitySensor.medianDelay(of: truth)
    let delay = min(stream.draw { $0.logNormal(median: median, sigma: 0.5) }, 180)
    if reported == truth {
      // The last report was a mistake until now.
      pending = report(truth, after: delay, from: instant)
    } else {
      let confusionShare = 1 - truthShare
      let isMistaken = stream.draw { $0.chance(confusionShare) }
      pending = report(isMistaken ? look(like: truth) : truth, after: delay, from: instant)
    }
  }

  /// Notes whether the app is awake, as it is while it receives positions. A sleeping app only receives changes.
  package mutating func serve(isAwake: Bool, at instant: MonotonicInstant) {
    guard isAwake && truth == .still && reported == .still else { return repetition = nil }
    if repetition == nil { repetition = instant + ActivitySensor.repetitionInterval }
  }

  /// Notes that the app starts to request activities at an instant; nil: it stops.
  package mutating func ask(at instant: MonotonicInstant?) { answer = instant.map { $0 + ActivitySensor.answerDelay } }

  /// Takes the pending report, and prepares the next: the truth after a mistake, a mistake some time after the truth.
  package mutating func takeReport() -> ActivityReport? {
    if let answer, answer == nextInstant {
      self.answer = nil
      return ActivityReport(instant: answer, activity: reported, confidence: confidence)
    }
    if let repetition, repetition <= pending?.instant ?? repetition {
      self.repetition = repetition + ActivitySensor.repetitionInterval
      if confidence < 100 { confidence = min(100, confidence + 5 + stream.draw { $0.index(below: 16) }) }
      return ActivityReport(instant: repetition, activity: reported, confidence: confidence)
    }
    guard let report = pending else { return nil }
    (reported, confidence) = (report.activity, report.confidence)
    repetition = nil
    pending =
      reported == truth
      ? mistake(after: report.instant)
      : self.report(truth, after: 10 + 30 * stream.draw { $0.uniform() }, from: report.instant)
    return report
  }

  /// The share of the truth among the reports.
  private var truthShare: Double {
    if let shares, shares.truth == truth { return shares.truthShare }
    return 1 - ActivitySensor.confusionShare
  }

  private mutating func mistake(after instant: MonotonicInstant) -> ActivityReport? {
    var mean = truth == .still ? 21_600.0 : 600
    if let shares, shares.truth == truth {
      guard shares.truthShare < 1 else { return nil }
      mean = ActivitySensor.mistakeSeconds * shares.truthShare / (1 - shares.truthShare)
    }
    // With a tiny share of mistakes the mean would be centuries.
    let delay = min(stream.draw { $0.exponential(mean: mean) }, Distribution.longestSeconds)
    return report(look(like: truth), after: delay, from: instant)
  }

  private mutating func report(
    _ activity: MotionActivity, after delay: Double, from instant: MonotonicInstant
  ) -> ActivityReport {
    let confidence =
      activity == truth
      ? ActivitySensor.sureConfidence + stream.draw { $0.index(below: 26) } : 35 + stream.draw { $0.index(below: 36) }
    let due = MonotonicInstant(secondsRoundedUp: instant.seconds + delay)
    return ActivityReport(instant: due, activity: activity, confidence: confidence)
  }

  /// Returns a mistaken activity.
  private mutating func look(like activity: MotionActivity) -> MotionActivity {
    if let shares, shares.truth == activity {
      return shares.mistake(stream.draw { $0.uniform() }) ?? activity
    }
    let alternatives = ActivitySensor.alternatives(to: activity)
    return alternatives[stream.draw { $0.index(below: alternatives.count) }]
  }

  private static func alternatives(to activity: MotionActivity) -> [MotionActivity] {
    switch activity {
    case .still: [.unknown, .unknown, .onFoot]
    case .walking: [.onFoot, .running, .unknown]
    case .running: [.walking, .onFoot, .unknown]
    case .onFoot: [.walking, .unknown]
    case .onBicycle: [.inVehicle, .running, .unknown]
    case .inVehicle: [.unknown, .still, .onBicycle]
    case .unknown: [.still]
    }
  }

  private static func medianDelay(of activity: MotionActivity) -> Double {
    switch activity {
    case .still: 20
    case .walking, .running, .onFoot: 6
    case .onBicycle: 10
    case .inVehicle: 15
    case .unknown: 5
    }
  }
}

/// A report of the motion sensors.
package struct ActivityReport: Equatable, Sendable {
  package let instant: MonotonicInstant
  package let activity: MotionActivity
  /// Percent.
  package let confidence: Int
}

/// The shares of the activities that the motion sensors report during movement.
package struct ActivityShares: Equatable, Sendable {
  /// The true activity, which is the one with the largest share.
  package let truth: MotionActivity
  /// The share of time in which the truth is reported.
  let truthShare: Double
  private let others: [(activity: MotionActivity, share: Double)]

  /// Requires at least one; the shares are normalized to a sum of 1.
  package init?(_ shares: [(activity: MotionActivity, share: Double)]) {
    guard let first = shares.first else { return nil }
    let largest = shares.dropFirst().reduce(first) { $1.share > $0.share ? $1 : $0 }
    truth = largest.activity
    others = shares.filter { $0.activity != largest.activity && $0.share > 0 }
    truthShare = others.isEmpty ? 1 : largest.share
  }

  /// Returns a mistaken activity; `uniform` is a draw of 0 ..< 1. Nil when nothing else is reported.
  func mistake(_ uniform: Double) -> MotionActivity? {
    var left = uniform * others.reduce(0) { $0 + $1.share }
    for other in others {
      left -= other.share
      if left < 0 { return other.activity }
    }
    return others.last?.activity
  }

  package static func == (left: ActivityShares, right: ActivityShares) -> Bool {
    left.truth == right.truth && left.truthShare == right.truthShare
      && left.others.elementsEqual(right.others) { $0 == $1 }
  }
}

/// The activity of a body, or the one that the motion sensors report.
package enum MotionActivity: Equatable, Sendable, CaseIterable {
  case still, walking, running, onFoot, onBicycle, inVehicle, unknown
}
