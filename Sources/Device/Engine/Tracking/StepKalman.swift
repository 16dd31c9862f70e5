import Contract

/// A Kalman filter over the lengths of steps, in one dimension (SDK §17, item 3): x is the length, P its
/// variance, R the variance of a measurement whose own is unknown.
struct StepKalman: Sendable {
  /// The circumstances of one step, in metres and metres per second.
  struct Measurement {
    var lengthMetres: Double
    var accuracyMetres: Double
    var speed: Double
    var distanceFilterMetres: Double
  }

  static let measurementVariance = 4.0...10_000.0
  static let processVariance = 0.1...400.0
  /// The standard deviation as a share of the distance filter.
  static let distanceFilterShare = 0.3
  /// The NIS bounds outside which the measurements are worse, or better, than assumed.
  static let consistency = 0.8...1.2
  static let adaptation = 0.02

  private var x = 0.0
  private var p = 0.0
  /// 0 before the first step.
  private var r = 0.0

  /// Returns the smoothed length. The first step is returned unchanged.
  mutating func smooth(_ step: Measurement, profile: KalmanProfile = .balanced) -> Double {
    let variance = step.accuracyMetres * step.accuracyMetres
    guard r > 0 else {
      x = step.lengthMetres
      r = StepKalman.clamp(variance, to: StepKalman.measurementVariance)
      p = r
      return x
    }
    let residual = step.lengthMetres - x
    let s = p + (variance > 0 ? variance : r)
    let gain = p / s
    x += gain * residual
    p = (1 - gain) * p + StepKalman.processVariance(of: step) * StepKalman.agility(of: profile)
    let nis = residual * residual / s
    if nis > StepKalman.consistency.upperBound {
      r *= 1 + StepKalman.adaptation
    } else if nis < StepKalman.consistency.lowerBound {
      r *= 1 - StepKalman.adaptation
    }
    r = StepKalman.clamp(r, to: StepKalman.measurementVariance)
    return x
  }

  /// The expected variance of the length from step to step.
  private static func processVariance(of step: Measurement) -> Double {
    let deviation = max(distanceFilterShare * step.distanceFilterMetres, baseMetres(atSpeed: step.speed))
    return clamp(deviation * deviation, to: processVariance)
  }

  /// The sources name the term but not its values; these are our choice.
  private static func baseMetres(atSpeed speed: Double) -> Double { speed < 2 ? 5 : speed < 10 ? 10 : 20 }

  /// The sources say which profile is slow and which is quick, but give no factors; these are our choice.
  private static func agility(of profile: KalmanProfile) -> Double {
    switch profile {
    case .balanced: 1
    case .smooth: 0.25
    case .quick: 4
    }
  }

  private static func clamp(_ value: Double, to range: ClosedRange<Double>) -> Double {
    min(max(value, range.lowerBound), range.upperBound)
  }
}
