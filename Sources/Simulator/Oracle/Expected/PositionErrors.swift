import Base

/// How far the positions of a device's receiver are from its body, where the world says so: outliers and poor positions.
struct PositionErrors {
  private struct Stray {
    let metres: Double
    /// The time of the next error; nil for the last.
    var until: MonotonicInstant?
  }

  /// The errors that are larger than each later one, in the order of time.
  private var strays: [Stray] = []

  /// Notes that the positions are this far off from now on; 0: near again.
  mutating func note(_ metres: Double, at now: MonotonicInstant) {
    if let last = strays.indices.last { strays[last].until = strays[last].until ?? now }
    while let last = strays.last, last.metres <= metres { strays.removeLast() }
    if metres > 0 { strays.append(Stray(metres: metres)) }
  }

  /// Returns the largest error since then.
  func most(since instant: MonotonicInstant) -> Double {
    strays.first { $0.until.map { $0 >= instant } ?? true }?.metres ?? 0
  }
}
