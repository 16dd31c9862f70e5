package import Base

/// What the number `expires` means. Sources disagree on its unit (SDK §11.5), so its size decides.
package enum TokenExpiry {
  /// The usual value of tokens without end; every number up to 0 says the same.
  package static let never = -1.0
  /// Numbers above are milliseconds since 1970.
  package static let greatestSeconds = 1e12
  /// Numbers above, up to `greatestSeconds`, are seconds since 1970; the others count from the moment the token was set.
  package static let greatestRelativeSeconds = 1e9

  /// The instant from which on the token must be refreshed before it is used; nil when it never ends.
  package static func instant(of expires: Double, setAt: WallInstant) -> WallInstant? {
    guard expires > 0 else { return nil }
    let milliseconds =
      if expires > greatestSeconds {
        expires
      } else if expires > greatestRelativeSeconds {
        expires * 1_000
      } else {
        Double(setAt.millisecondsSince1970) + expires * 1_000
      }
    // Beyond the last representable year nobody waits for the end.
    return Int64(exactly: milliseconds.rounded()).flatMap { WallInstant(exactly: $0) }
  }
}
