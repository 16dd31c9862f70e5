import Base

/// Finds the fences whose edge is near a place. Fences of about the same size lie in one grid: a large one is found from
/// afar, and the many small ones cost no more for it.
struct FenceIndex: Sendable {
  private struct SizeClass: Sendable {
    /// The class holds the radii up to this one, from a quarter of it on.
    let largestRadius: Double
    var grid: GridIndex
    /// Of the fences that have been in it.
    var widestRadius: Double
  }

  private static let firstRadius = 1_000.0
  private static let growth = 4.0

  private let reachMetres: Double
  private var classes: [SizeClass] = []
  /// Memory of queries, used again.
  private var found: [Neighbour] = []

  /// `reachMetres` is the usual radius of a query.
  init(reachMetres: Double) { self.reachMetres = reachMetres }

  mutating func insert(_ slot: Int, _ circle: Circle) {
    let place = classIndex(of: circle) ?? addClass(for: circle)
    classes[place].grid.insert(slot, at: circle.center)
    classes[place].widestRadius = max(classes[place].widestRadius, circle.radiusMetres)
  }

  mutating func remove(_ slot: Int, _ circle: Circle) {
    guard let place = classIndex(of: circle) else { return }
    classes[place].grid.remove(slot, at: circle.center)
  }

  /// The fences whose edge is within a radius, nearest edge first, those around the place before all others; at most
  /// `limit`. They replace what was in `results`.
  mutating func findNearest(
    to place: Coordinate, radiusMetres: Double, limit: Int, radiusOf: (Int) -> Double, into results: inout [Neighbour]
  ) {
    results.removeAll(keepingCapacity: true)
    for sizeClass in classes {
      sizeClass.grid.findNearest(to: place, radiusMetres: radiusMetres + sizeClass.widestRadius, into: &found)
      for fence in found {
        let distance = max(0, fence.distanceMetres - radiusOf(fence.id))
        if distance <= radiusMetres { results.append(Neighbour(id: fence.id, distanceMetres: distance)) }
      }
    }
    results.sort()
    if results.count > limit { results.removeLast(results.count - limit) }
  }

  private func classIndex(of circle: Circle) -> Int? {
    let radius = FenceIndex.largestRadius(above: circle.radiusMetres)
    return classes.firstIndex { $0.largestRadius == radius }
  }

  private mutating func addClass(for circle: Circle) -> Int {
    let radius = FenceIndex.largestRadius(above: circle.radiusMetres)
    let cell = min(max(reachMetres + radius / FenceIndex.growth, 100), 1e6)
    classes.append(SizeClass(largestRadius: radius, grid: GridIndex(cellMetres: cell), widestRadius: 0))
    return classes.count - 1
  }

  private static func largestRadius(above radius: Double) -> Double {
    var largest = firstRadius
    while largest < radius { largest *= growth }
    return largest
  }
}
