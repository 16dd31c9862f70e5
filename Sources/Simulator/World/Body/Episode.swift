package import Base

/// What a body is doing for a while.
package enum Episode: Sendable {
  case stay(Stay)
  case trip(Trip)

  package var start: MonotonicInstant {
    switch self {
    case .stay(let stay): stay.start
    case .trip(let trip): trip.start
    }
  }

  /// Nil when nothing comes after it.
  package var end: MonotonicInstant? {
    switch self {
    case .stay(let stay): stay.end
    case .trip(let trip): trip.end
    }
  }
}
