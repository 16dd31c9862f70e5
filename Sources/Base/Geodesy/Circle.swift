/// All places within a distance of a centre.
package struct Circle: Hashable, Sendable {
  package let center: Coordinate
  package let radiusMetres: Double

  package init(center: Coordinate, radiusMetres: Double) {
    precondition(radiusMetres >= 0, "a radius is not negative")
    self.center = center
    self.radiusMetres = radiusMetres
  }

  package func contains(_ place: Coordinate) -> Bool { center.distanceMetres(to: place) <= radiusMetres }
}
