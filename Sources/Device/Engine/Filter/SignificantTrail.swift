package import Base
import Contract
package import Vocabulary

/// The positions that the next significant change is compared with (SDK §12.7).
package struct SignificantTrail: Equatable, Sendable {
  /// With which of them the circle of a position's accuracy must not overlap.
  package enum Reference: CaseIterable, Sendable {
    /// With the last one that counted, unless the new one is better.
    case lastUnlessBetter
    /// With the one from which the stationary check counts.
    case movement
    /// With the last one that counted.
    case last
  }

  private struct Mark: Equatable, Sendable {
    var place: Coordinate
    var accuracyMetres: Double
  }

  private var last: Mark?
  private var movement: Mark?

  package init() {}

  /// From where the stationary check counts.
  package var movementPlace: Coordinate? { movement?.place }

  /// What makes a position noise; nil for one that says something.
  package func noise(of fix: Fix, against reference: Reference) -> LogEntry.Significant? {
    guard let mark = SignificantTrail.mark(fix) else { return nil }
    if mark.place == last?.place { return .duplicate(accuracyMetres: mark.accuracyMetres) }
    guard let other = reference == .movement ? movement : last else { return nil }
    let metres = other.place.distanceMetres(to: mark.place)
    guard metres < other.accuracyMetres + mark.accuracyMetres else { return nil }
    if reference == .lastUnlessBetter && mark.accuracyMetres < other.accuracyMetres { return nil }
    return .overlap(metres: metres, accuracyMetres: mark.accuracyMetres, otherMetres: other.accuracyMetres)
  }

  /// The position counted.
  package mutating func follow(_ fix: Fix) { last = SignificantTrail.mark(fix) ?? last }

  /// The stationary check counts from there.
  package mutating func move(to fix: Fix) { movement = SignificantTrail.mark(fix) ?? movement }

  private static func mark(_ fix: Fix) -> Mark? {
    Coordinate(fix).map { Mark(place: $0, accuracyMetres: max(0, fix.coords.accuracy ?? 0)) }
  }
}
