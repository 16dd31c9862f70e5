/// An answer of a grid index.
package struct Neighbour: Hashable, Comparable, Sendable {
  package let id: Int
  package let distanceMetres: Double

  package init(id: Int, distanceMetres: Double) {
    self.id = id
    self.distanceMetres = distanceMetres
  }

  /// By distance; equal distances by id.
  package static func < (left: Neighbour, right: Neighbour) -> Bool {
    left.distanceMetres == right.distanceMetres ? left.id < right.id : left.distanceMetres < right.distanceMetres
  }
}
