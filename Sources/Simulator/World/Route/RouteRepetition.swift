/// What comes after the end of a route.
package enum RouteRepetition: Equatable, Sendable {
  case once
  /// From the beginning again, where the body is put back to.
  case loop
  /// The same way back, and so on.
  case pingPong
}
