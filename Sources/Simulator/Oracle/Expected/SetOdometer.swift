import Base

/// The value that a command has given to an odometer, until a record a while later shows that it has been set (BGGeo
/// `setOdometer`; SDK §17.6).
struct SetOdometer {
  let metres: Double
  let instant: MonotonicInstant
  /// The true distance travelled until then, from the last position of the stream where steps may be measured from there.
  let way: Double
  /// By how much the odometer may count too much since, from the true errors of the positions.
  var errors = 0.0
  /// Whether a position has been far from the body: steps to and from it may count without a record.
  var hasStrayed = false

  /// Records have two decimals.
  private static let rounding = 0.006
  /// What steps from before may add, and those that are smoothed.
  private static let margin = 1_000.0

  /// Returns what is wrong with an odometer at the end of a true distance, as a sentence; nil where nothing is. The observed
  /// behaviour counts parts of it twice (SDK §17.8).
  func fault(of odometer: Double, at end: Double) -> String? {
    let most = metres + 2 * (end - way) + errors + SetOdometer.margin
    guard odometer < metres - SetOdometer.rounding || odometer > most && !hasStrayed else { return nil }
    return "the odometer says \(odometer) m \(Int(end - way)) m after a command has set it to \(metres) m"
  }
}
