/// What is wrong with a record that no server should take.
package enum PoisonKind: String, CaseIterable, Sendable {
  case missingCoords = "missing-coords"
  case textLatitude = "text-latitude"
  case oversizedExtras = "oversized-extras"
}
