/// Why a fence cannot be kept.
package enum GeofenceError: Error, Equatable, Sendable {
  case noIdentifier
  /// A centre or a corner is no place on earth, or a polygon has fewer than three corners.
  case noPlace(identifier: String)
  /// Not a positive number of metres.
  case noRadius(identifier: String)
}
