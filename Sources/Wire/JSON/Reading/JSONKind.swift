/// What kind of value begins at a place, told by its first byte.
package enum JSONKind: Equatable, Sendable {
  case object, array, string, number, `true`, `false`, null
}
