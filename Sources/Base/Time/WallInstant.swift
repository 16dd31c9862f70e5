/// A date and time of day in UTC, to the millisecond, because that is what the SDK puts on the wire. Always within the
/// years 0001 to 9999, so that every value has an ISO-8601 text with a year of four digits. Leap seconds do not count,
/// as in POSIX.
@frozen @usableFromInline
package struct WallInstant: Hashable, Comparable, Sendable {
  @usableFromInline package let millisecondsSince1970: Int64

  /// 0001-01-01T00:00:00.000Z.
  @inlinable package static var earliest: WallInstant { WallInstant(unchecked: -62_135_596_800_000) }
  /// 9999-12-31T23:59:59.999Z.
  @inlinable package static var latest: WallInstant { WallInstant(unchecked: 253_402_300_799_999) }

  @inlinable init(unchecked millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

  /// For numbers the program itself made; a number outside the years 0001 to 9999 is a programmer error.
  @inlinable package init(millisecondsSince1970: Int64) {
    self.init(unchecked: millisecondsSince1970)
    precondition(self >= .earliest && self <= .latest, "a wall instant lies within the years 0001 to 9999")
  }

  /// For numbers from outside: nil when they lie beyond the years 0001 to 9999.
  package init?(exactly millisecondsSince1970: Int64) {
    self.init(unchecked: millisecondsSince1970)
    guard self >= .earliest && self <= .latest else { return nil }
  }

  @inlinable package static func < (left: WallInstant, right: WallInstant) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The instant so many milliseconds later; it must lie within the range of the type.
  @inlinable package func advanced(byMilliseconds milliseconds: Int64) -> WallInstant {
    WallInstant(millisecondsSince1970: millisecondsSince1970 + milliseconds)
  }

  @inlinable package func milliseconds(since earlier: WallInstant) -> Int64 {
    millisecondsSince1970 - earlier.millisecondsSince1970
  }
}
