/// Metres in a local plane.
package struct Offset: Hashable, Sendable {
  package var east: Double
  package var north: Double

  package init(east: Double, north: Double) {
    self.east = east
    self.north = north
  }

  package var lengthSquared: Double { east * east + north * north }
  package var length: Double { lengthSquared.squareRoot() }
}
