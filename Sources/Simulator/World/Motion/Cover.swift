package import Base

/// A time under something that keeps signals away.
package struct Cover: Equatable, Sendable {
  /// What keeps them away.
  package enum Kind: Equatable, Sendable {
    /// Neither satellites nor radio.
    case tunnel
    /// Satellites but no radio.
    case deadZone
  }

  package let kind: Kind
  package let start: MonotonicInstant
  package let end: MonotonicInstant

  package init(kind: Kind, start: MonotonicInstant, end: MonotonicInstant) {
    self.kind = kind
    self.start = start
    self.end = end
  }
}
