/// Which route of a collection a device takes.
package enum RoutePick: String, CaseIterable, Sendable {
  case shuffle
  case sequence
  case random
}
