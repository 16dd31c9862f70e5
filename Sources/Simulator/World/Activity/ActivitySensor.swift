package import Base

/// The motion sensors of one device: they notice late what it does, and sometimes mistake it.
///
/// Told of each change, the sensor has at most one report pending; a change that passes before it is noticed is never
/// reported, as when a car stands at a light for a few seconds.
package struct ActivitySensor: Sendable {
  private var stream: RestingStream
  private var truth: MotionActivity
  private var reported: MotionActivity
  private var pending: ActivityReport?

  private let shares: ActivityShares?

  private static let confusionShare = 0.12
  /// How long a mistake lasts, in the mean.
  private static let mistakeSeconds = 25.0

  /// The sensor begins by knowing the truth. `shares` are of the time on the way.
  package init(
    truth: MotionActivity, at instant: MonotonicInstant, shares: ActivityShares? = nil, seed: UInt64, device: UInt64
  ) {
    self.shares = shares
    stream = RestingStream(.activity, seed: seed, device: device)
    self.truth = truth
    reported = truth
    pending = mistake(after: instant)
  }

  /// When `nextReport` is due; nil while there is none.
  package var nextInstant: MonotonicInstant? { pending?.instant }

  /// Tells the sensor what the body does from an instant on. Does nothing when that is no change.
  package mutating func observe(_ activity: MotionActivity, at instant: MonotonicInstant) {
    guard activity != truth else { return }
    truth = activity
    if reported == truth {
      pending = mistake(after: instant)
    } else {
      let median = ActivitySensor.medianDelay(of: truth)
      let delay = min(stream.draw { $0.logNormal(median: median, sigma: 0.5) }, 180)
      let confusionShare = 1 - truthShare
      let isMistaken = stream.draw { $0.chance(confusionShare) }
      pending = report(isMistaken ? look(like: truth) : truth, after: delay, from: instant)
    }
  }

  /// Takes the pending report, and prepares the next: the truth after a mistake, a mistake some time after the truth.
  package mutating func takeReport() -> ActivityReport? {
    guard let report = pending else { return nil }
    reported = report.activity
    pending =
      reported == truth
      ? mistake(after: report.instant)
      : self.report(truth, after: 10 + 30 * stream.draw { $0.uniform() }, from: report.instant)
    return report
  }

  /// Of the truth among the reports.
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
    let delay = stream.draw { $0.exponential(mean: mean) }
    return report(look(like: truth), after: delay, from: instant)
  }

  private mutating func report(
    _ activity: MotionActivity, after delay: Double, from instant: MonotonicInstant
  ) -> ActivityReport {
    let confidence =
      activity == truth ? 75 + stream.draw { $0.index(below: 26) } : 35 + stream.draw { $0.index(below: 36) }
    let due = MonotonicInstant(secondsRoundedUp: instant.seconds + delay)
    return ActivityReport(instant: due, activity: activity, confidence: confidence)
  }

  /// What an activity is mistaken for.
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
