/// When a single position is good enough (SDK §13.1).
package struct RequestTerms: Equatable, Sendable {
  package var desiredAccuracyMetres: Double
  /// 0: it must be newer than the request.
  package var maximumAgeMilliseconds: Double
  package var timeoutSeconds: Double
  /// After so many positions the best of them is taken.
  package var samples: Int
  /// A position that is not good enough is better than none when the time is up.
  package var allowsStale = true

  package init(
    desiredAccuracyMetres: Double, maximumAgeMilliseconds: Double, timeoutSeconds: Double, samples: Int
  ) {
    self.desiredAccuracyMetres = desiredAccuracyMetres
    self.maximumAgeMilliseconds = maximumAgeMilliseconds
    self.timeoutSeconds = timeoutSeconds
    self.samples = samples
  }
}
