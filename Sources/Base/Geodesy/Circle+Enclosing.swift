extension Circle {
  /// The smallest circle around some places, at least one; all of them are inside, the outermost to the last bit of
  /// `distanceMetres`. For places within some hundred kilometres the radius is smallest to a millionth; for places all
  /// over the earth the circle is only one that holds them.
  ///
  /// Calculated in the plane of distances and bearings from a point between the places, and once more from the centre
  /// found: then only distances from the centre count, and these the plane shows as they are.
  package init(enclosing places: [Coordinate]) {
    precondition(!places.isEmpty, "no places have no circle")
    var center = Circle.middle(of: places)
    for _ in 0..<2 {
      let points = places.map { place in
        let distance = center.distanceMetres(to: place)
        let angle = PortableMath.sineAndCosine(degrees: center.initialBearingDegrees(to: place))
        return SmallestCircle.Point(x: distance * angle.sine, y: distance * angle.cosine)
      }
      let found = SmallestCircle(around: points).center
      let bearing = PortableMath.arcTangent(y: found.x, x: found.y) * PortableMath.degreesPerRadian
      let distance = (found.x * found.x + found.y * found.y).squareRoot()
      center = center.destination(bearingDegrees: bearing, distanceMetres: distance)
    }
    let radius = places.reduce(0) { max($0, center.distanceMetres(to: $1)) }
    self.init(center: center, radiusMetres: radius)
  }

  /// The direction of the sum of the vectors from the middle of the earth: neither antimeridian nor pole is special.
  private static func middle(of places: [Coordinate]) -> Coordinate {
    var (x, y, z) = (0.0, 0.0, 0.0)
    for place in places {
      let latitude = PortableMath.sineAndCosine(degrees: place.latitude)
      let longitude = PortableMath.sineAndCosine(degrees: place.longitude)
      x += latitude.cosine * longitude.cosine
      y += latitude.cosine * longitude.sine
      z += latitude.sine
    }
    return Coordinate(
      calculatedLatitude: PortableMath.arcTangent(y: z, x: (x * x + y * y).squareRoot())
        * PortableMath.degreesPerRadian,
      longitude: PortableMath.arcTangent(y: y, x: x) * PortableMath.degreesPerRadian)
  }
}

extension Polygon {
  /// What is registered with the operating system in the place of a polygon (SDK §15.5).
  package var smallestEnclosingCircle: Circle { Circle(enclosing: vertices) }
}
