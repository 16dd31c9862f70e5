package import Base

/// The height of the ground: not a map, but plausible and reproducible heights for inhabited places.
package enum Terrain {
  /// Returns the height above mean sea level: lowland, the best known highlands, and hills of a few metres.
  package static func metres(at place: Coordinate) -> Double {
    let hills =
      6 * PortableMath.sineAndCosine(degrees: place.latitude * 9_000).sine
      + 6 * PortableMath.sineAndCosine(degrees: place.longitude * 7_000).sine
    return highlands.value(at: place) + hills
  }

  /// Returns the height of mean sea level above the WGS 84 ellipsoid: the large features of the geoid, with an error of
  /// about twenty metres.
  package static func undulationMetres(at place: Coordinate) -> Double { geoid.value(at: place) }

  private static let highlands = EarthField(
    base: 40,
    bumps: [
      .init(47.2, 11.5, height: 620, kilometres: 220), .init(40.2, -3.8, height: 560, kilometres: 250),
      .init(19.5, -99.5, height: 2_150, kilometres: 350), .init(39.5, -106, height: 1_700, kilometres: 450),
      .init(-26, 28.5, height: 1_600, kilometres: 450), .init(5, -74, height: 2_300, kilometres: 250),
      .init(9, 39, height: 2_300, kilometres: 400), .init(-1, 37, height: 1_500, kilometres: 350),
      .init(35, 51.5, height: 1_100, kilometres: 450), .init(33, 88, height: 4_400, kilometres: 800),
      .init(-17, -68, height: 3_500, kilometres: 400), .init(39, 34, height: 900, kilometres: 350),
      .init(13, 77, height: 800, kilometres: 300), .init(-18, -47, height: 900, kilometres: 600),
    ])

  private static let geoid = EarthField(
    base: 0,
    bumps: [
      .init(3, 79, height: -168, kilometres: 1_900), .init(0, 135, height: 129, kilometres: 2_500),
      .init(58, -20, height: 80, kilometres: 2_200), .init(42, 15, height: 47, kilometres: 1_700),
      .init(55, -85, height: -46, kilometres: 2_200), .init(30, -70, height: -39, kilometres: 1_800),
      .init(30, -122, height: -35, kilometres: 2_000), .init(-40, 35, height: 51, kilometres: 2_200),
      .init(-18, -70, height: 53, kilometres: 1_900), .init(50, 85, height: -52, kilometres: 1_900),
      .init(36, 140, height: 29, kilometres: 1_300), .init(-30, 112, height: -42, kilometres: 1_800),
      .init(-35, 172, height: 33, kilometres: 1_800),
    ])
}

/// A quantity that varies slowly over the Earth: a sum of bumps, each highest at its centre.
struct EarthField: Sendable {
  struct Bump: Sendable {
    /// On the unit sphere.
    let x, y, z: Double
    let height: Double
    /// The reciprocal of the squared distance, in radii of the Earth, at which a quarter of the height remains.
    let sharpness: Double

    init(_ latitude: Double, _ longitude: Double, height: Double, kilometres: Double) {
      (x, y, z) = EarthField.direction(latitude, longitude)
      self.height = height
      sharpness = 6_371 * 6_371 / (kilometres * kilometres)
    }
  }

  let base: Double
  let bumps: [Bump]

  func value(at place: Coordinate) -> Double {
    let (x, y, z) = EarthField.direction(place.latitude, place.longitude)
    var sum = base
    for bump in bumps {
      let (east, north, up) = (x - bump.x, y - bump.y, z - bump.z)
      let share = 1 / (1 + (east * east + north * north + up * up) * bump.sharpness)
      sum += bump.height * share * share
    }
    return sum
  }

  private static func direction(_ latitude: Double, _ longitude: Double) -> (Double, Double, Double) {
    let (vertical, horizontal) = (
      PortableMath.sineAndCosine(degrees: latitude), PortableMath.sineAndCosine(degrees: longitude)
    )
    return (vertical.cosine * horizontal.cosine, vertical.cosine * horizontal.sine, vertical.sine)
  }
}
