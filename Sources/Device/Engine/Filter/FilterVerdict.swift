package import Vocabulary

/// What becomes of a fix.
package enum FilterVerdict: Equatable, Sendable {
  /// Delivered. The decision is `accepted` or `adjusted`; an adjusted step is shorter, the coordinates are the fix's.
  case delivered(FilterTrace)
  /// Neither delivered nor persisted; `locationfilter` tells why.
  case rejected(FilterTrace, Rejection)
  /// As if it had never come: the log may tell.
  case ignored(Ignorance, sinceLastMilliseconds: Int64)

  /// The `reason` of `locationfilter` (SDK §6).
  package enum Rejection: String, CaseIterable, Sendable {
    case lowAccuracy = "low-accuracy"
    case impliedSpeed = "implied-speed"
    case outlierCapped = "outlier-capped"
  }

  /// Why a fix does not reach the location filter.
  package enum Ignorance: CaseIterable, Sendable {
    /// No accuracy, or a negative one, or no place on earth.
    case invalid
    /// From a time that has not come yet.
    case future
    /// As old as the last fix, or older.
    case notNewer
    /// The last fix once more; Android only.
    case identical
    /// Faster than `speedJumpFilter`; Android only.
    case speedJump
  }
}
