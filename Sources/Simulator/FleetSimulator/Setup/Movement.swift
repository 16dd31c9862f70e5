package import World

/// How the bodies of a fleet spend their time.
package enum Movement: Equatable, Sendable {
  /// By a daily plan in the city.
  case plan(Occupation)
  /// There and back between home and work from the first second on.
  case shuttle(Transport)
}
