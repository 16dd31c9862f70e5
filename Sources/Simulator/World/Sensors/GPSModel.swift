package import Base

/// The error model of a receiver, shared by all devices of a kind. The defaults give the accuracies of a phone in a car:
/// median 5 metres, 90 % below 10.
package final class GPSModel: Sendable {
  /// The standard deviation of the error on each axis under an ordinary sky.
  package let sigmaMetres: Double
  /// The time constant of the correlated error; multipath lasts 10 to 900 seconds.
  package let correlationSeconds: Double
  /// The share of the variance that is uncorrelated between fixes.
  package let whiteShare: Double
  /// The variation of the sky from place to place: the standard deviation of the logarithm of sigma.
  package let skySpread: Double
  package let skySeconds: Double
  /// Periods of ten seconds with a large, undetected error.
  package let outliersPerHour: Double
  /// The size of that error in metres; at most five kilometres.
  package let outlierDistance: Distribution
  /// Whether there are no satellites in tunnels.
  package let isBlindInTunnels: Bool
  /// The median times to the first fix: after less than ten minutes off, and after more.
  package let warmStartSeconds: Double
  package let coldStartSeconds: Double
  /// The median factors on sigma at first, after a tunnel or a warm start, and after a cold start.
  package let warmInflation: Double
  package let coldInflation: Double
  /// The time constant with which the first fixes improve.
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

  /// Closer to houses, and slower past them.
  package static let onFoot = GPSModel(sigmaMetres: 5, correlationSeconds: 90)

  static let outlierSeconds = 10.0
  /// Limits draws from a heavy tail: the distance of an outlier.
  static let outlierMetresMax = 5_000.0

  /// Returns the radius, in sigmas, that contains the true place in a share of the fixes, including outliers: with x and y
  /// normal, P(r ≤ kσ) = 1 − e^(−k²/2), and an outlier is never inside.
  private static func accuracyFactor(of share: Double, outliersPerHour: Double) -> Double {
    let honestShare = 1 - outliersPerHour * GPSModel.outlierSeconds / 3_600
    return (-2 * PortableMath.log(1 - share / honestShare)).squareRoot()
  }
}
