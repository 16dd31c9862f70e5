/// The measure of a distribution, as a type, so that each has tables of its own.
protocol DistributionUnit: Sendable {
  static var measure: Measure { get }
  /// In the names of the tables.
  static var word: String { get }
}

/// Distributions of durations, in seconds.
enum InSeconds: DistributionUnit {
  static let measure = Measure.duration
  static let word = "duration"
}

/// Distributions of lengths, in metres.
enum InMetres: DistributionUnit {
  static let measure = Measure.length
  static let word = "length"
}
