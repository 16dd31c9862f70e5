/// WGS 84, the earth model of GPS and of all distances and bearings here. A sphere would be off by up to 0.56 percent
/// (north and south on the equator), more than the half percent that is allowed.
package enum Ellipsoid {
  /// Metres.
  package static let equatorialRadius = 6_378_137.0
  package static let flattening = 1 / 298.257223563
  /// Metres.
  package static let polarRadius = equatorialRadius * (1 - flattening)
}
