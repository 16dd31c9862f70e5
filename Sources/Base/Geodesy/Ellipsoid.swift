/// WGS 84, the earth model of GPS and of all distances and bearings here. A sphere would be off by up to 0.56 percent
/// (north and south on the equator), more than the half percent that is allowed.
enum Ellipsoid {
  /// Metres.
  static let equatorialRadius = 6_378_137.0
  static let flattening = 1 / 298.257223563
  /// Metres.
  static let polarRadius = equatorialRadius * (1 - flattening)
}
