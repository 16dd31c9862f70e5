import Base

/// How wrong a receiver is. The defaults give the accuracies of a phone in a car: median 5 metres, nine tenths below 10.
package struct GPSModel: Equatable, Sendable {
  /// Standard deviation of the error in each axis under an ordinary sky.
  package var sigmaMetres = 3.3
  /// How long an error lasts: the time constant of the correlated part. Multipath lasts 10 to 900 seconds.
  package var correlationSeconds = 45.0
  /// The part of the variance that is new with every fix.
  package var whiteShare = 0.1
  /// How much the sky differs from place to place: the standard deviation of the logarithm of sigma.
  package var skySpread = 0.55
  package var skySeconds = 120.0
  /// Moments of ten seconds in which the receiver is far off without knowing it.
  package var outliersPerHour = 0.5
  /// The Pareto distribution of the outliers' distances.
  package var outlierMinimumMetres = 80.0
  package var outlierAlpha = 1.6
  /// Medians of the time to the first fix: after less than ten minutes off, and after more.
  package var warmStartSeconds = 2.0
  package var coldStartSeconds = 12.0
  /// Medians of how many times larger sigma is at first, after a tunnel or a warm start, and after a cold start.
  package var warmInflation = 4.0
  package var coldInflation = 10.0
  /// How fast the first, bad fixes become good.
  package var settlingSeconds = 8.0

  package init() {}

  /// On foot: nearer to houses, slower past them.
  package static var onFoot: GPSModel {
    var model = GPSModel()
    model.sigmaMetres = 5
    model.correlationSeconds = 90
    return model
  }

  static let outlierSeconds = 10.0

  /// The radius that holds the true place in 68 of 100 fixes, in sigmas, outliers counted in: with x and y normal,
  /// P(r ≤ kσ) = 1 − e^(−k²/2), and an outlier is never inside.
  var accuracyFactor: Double {
    let honestShare = 1 - outliersPerHour * GPSModel.outlierSeconds / 3_600
    return (-2 * PortableMath.log(1 - GPSModel.containment / honestShare)).squareRoot()
  }

  /// What Android means by accuracy: a radius of 68 percent.
  static let containment = 0.68
}
