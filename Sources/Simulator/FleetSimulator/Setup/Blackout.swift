package import Base

/// A time in which devices have no network.
package struct Blackout: Sendable {
  /// Whom it befalls: those that are inside when it begins; nil: everybody.
  package var area: Polygon?
  package var start: MonotonicInstant
  package var end: MonotonicInstant

  package init(area: Polygon? = nil, start: MonotonicInstant, end: MonotonicInstant) {
    precondition(start < end, "a blackout lasts")
    self.area = area
    self.start = start
    self.end = end
  }
}
