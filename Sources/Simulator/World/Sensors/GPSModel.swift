package import Base

/// How wrong a receiver is; one object for all devices of a kind. The defaults give the accuracies of a phone in a car: median 5 metres, nine tenths below 10.
package final class GPSModel: Sendable {
  /// Standard deviation of the error in each axis under an ordinary sky.
  package let sigmaMetres: Double
  /// How long an error lasts: the time constant of the correlated part. Multipath lasts 10 to 900 seconds.
  package let correlationSeconds: Double
  /// The part of the variance that is new with every fix.
  package let whiteShare: Double
  /// How much the sky differs from place to place: the standard deviation of the logarithm of sigma.
  package let skySpread: Double
  package let skySeconds: Double
  /// Moments of ten seconds in which the receiver is far off without knowing it.
  package let outliersPerHour: Double
  /// How far off they are, metres; at most five kilometres.
  package let outlierDistance: Distribution
  /// Whether tunnels keep the satellites away.
  package let isBlindInTunnels: Bool
  /// Medians of the time to the first fix: after less than ten minutes off, and after more.
  package let warmStartSeconds: Double
  package let coldStartSeconds: Double
  /// Medians of how many times larger sigma is at first, after a tunnel or a warm start, and after a cold start.
  package let warmInflation: Double
  package let coldInflation: Double
  /// How fast the first, bad fixes become good.
  package let settlingSeconds: Double

  /// The reported radius, in sigmas.
  let accuracyFactor: Double

  package init(
    sigmaMetres: Double = 3.3,
    correlationSeconds: Double = 45.0,
    whiteShare: Double = 0.1,
    skySpread: Double = 0.55,
    skySeconds: Double = 120.0,
    outliersPerHour: Double = 0.5,
    outlierDistance: Distribution = .pareto(min: 80, alpha: 1.6),
    isBlindInTunnels: Bool = true,
    accuracyShare: Double = 0.68,
    warmStartSeconds: Double = 2.0,
    coldStartSeconds: Double = 12.0,
    warmInflation: Double = 4.0,
    coldInflation: Double = 10.0,
    settlingSeconds: Double = 8.0
  ) {
    precondition(
      sigmaMetres > 0 && correlationSeconds > 0 && skySeconds > 0 && settlingSeconds > 0, "noise has a scale")
    precondition(whiteShare >= 0 && whiteShare <= 1, "a share is 0 to 1")
    precondition(accuracyShare > 0 && accuracyShare < 0.7, "outliers are outside the radius")
    precondition(outliersPerHour >= 0 && outliersPerHour < 100, "outliers are rare")
    self.sigmaMetres = sigmaMetres
    self.correlationSeconds = correlationSeconds
    self.whiteShare = whiteShare
    self.skySpread = skySpread
    self.skySeconds = skySeconds
    self.outliersPerHour = outliersPerHour
    self.outlierDistance = outlierDistance
    self.isBlindInTunnels = isBlindInTunnels
    self.warmStartSeconds = warmStartSeconds
    self.coldStartSeconds = coldStartSeconds
    self.warmInflation = warmInflation
    self.coldInflation = coldInflation
    self.settlingSeconds = settlingSeconds
    accuracyFactor = GPSModel.accuracyFactor(of: accuracyShare, outliersPerHour: outliersPerHour)
  }

  package static let inVehicle = GPSModel()

  /// Nearer to houses, and slower past them.
  package static let onFoot = GPSModel(sigmaMetres: 5, correlationSeconds: 90)

  static let outlierSeconds = 10.0

  /// The radius that holds the true place in a share of the fixes, in sigmas, outliers counted in: with x and y normal,
  /// P(r ≤ kσ) = 1 − e^(−k²/2), and an outlier is never inside.
  private static func accuracyFactor(of share: Double, outliersPerHour: Double) -> Double {
    let honestShare = 1 - outliersPerHour * GPSModel.outlierSeconds / 3_600
    return (-2 * PortableMath.log(1 - share / honestShare)).squareRoot()
  }
}
