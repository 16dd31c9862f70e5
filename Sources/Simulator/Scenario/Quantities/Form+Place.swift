internal import Base

extension Form where Value == Coordinate {
  /// `[latitude, longitude]`, as people read them from a map.
  static var place: Form {
    let pair = Form<[Double]>.list(of: .number(-180...180), count: 2...2)
    return pair.map(words: "[latitude, longitude] in degrees") { Coordinate(latitude: $0[0], longitude: $0[1]) }
  }
}

extension Form where Value == Polygon {
  /// Three or more places.
  static var polygon: Form {
    Form<[Coordinate]>.list(of: .place, count: 3...10_000).map(words: "three places or more") { Polygon($0) }
  }
}
