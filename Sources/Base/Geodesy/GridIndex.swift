/// Finds the nearest of thousands of places. The earth is divided into rows of equal height in latitude, each row into cells
/// about as wide as high, so that cells near the poles are few and not thin.
///
/// The entries are one array, sorted by row, column and id: a row of neighbouring cells is a range of it, found by bisection. A
/// query costs the entries of the cells that its radius touches and some bisections; a change moves the array, which is cheap
/// compared to a query for thousands of entries that rarely change.
package struct GridIndex: Sendable {
  struct Entry {
    let cell: Cell
    let id: Int
    let place: Coordinate
  }

  /// A cell, in the order of the array.
  struct Cell: Comparable {
    let row: Int
    let column: Int

    static func < (left: Cell, right: Cell) -> Bool {
      left.row == right.row ? left.column < right.column : left.row < right.row
    }
  }

  let rowsPerDegree: Double
  private(set) var entries: [Entry] = []

  /// Cells about as high as the usual radius of a query are best; at least 100 metres.
  package init(cellMetres: Double) {
    precondition(cellMetres >= 100 && cellMetres <= 1e6, "a cell is 100 metres to 1,000 kilometres high")
    rowsPerDegree = 111_000 / cellMetres
  }

  package var count: Int { entries.count }

  /// Returns false, without a change, when the id is already at this place. One id at several places has several entries.
  @discardableResult
  package mutating func insert(_ id: Int, at place: Coordinate) -> Bool {
    let (index, isFound) = search(id, at: place)
    if !isFound { entries.insert(Entry(cell: cell(of: place), id: id, place: place), at: index) }
    return !isFound
  }

  /// Returns false when the id is not at this place.
  @discardableResult
  package mutating func remove(_ id: Int, at place: Coordinate) -> Bool {
    let (index, isFound) = search(id, at: place)
    if isFound { entries.remove(at: index) }
    return isFound
  }

  private func search(_ id: Int, at place: Coordinate) -> (index: Int, isFound: Bool) {
    let cell = cell(of: place)
    var index = firstEntry { $0.cell < cell || ($0.cell == cell && $0.id < id) }
    while index < entries.count, entries[index].cell == cell, entries[index].id == id {
      if entries[index].place == place { return (index, true) }
      index += 1
    }
    return (index, false)
  }

  /// Returns the index of the first entry, from `start`, for which `isBefore` is false.
  func firstEntry(from start: Int = 0, notBefore isBefore: (Entry) -> Bool) -> Int {
    var (low, high) = (start, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func row(ofLatitude latitude: Double) -> Int { Int((latitude + 90) * rowsPerDegree) }

  /// Returns at least one; determined by the latitude in the middle of the row.
  func columns(ofRow row: Int) -> Double {
    let latitude = min((Double(row) + 0.5) / rowsPerDegree, 180) - 90
    return max(1, (360 * rowsPerDegree * PortableMath.sineAndCosine(degrees: latitude).cosine).rounded(.down))
  }

  /// Returns the column of a longitude of −180 to 180; 180 itself is in the column of −180.
  func column(ofLongitude longitude: Double, in columns: Double) -> Int {
    longitude == 180 ? 0 : Int(min(((longitude + 180) / 360 * columns).rounded(.down), columns - 1))
  }

  private func cell(of place: Coordinate) -> Cell {
    let row = row(ofLatitude: place.latitude)
    return Cell(row: row, column: column(ofLongitude: place.longitude, in: columns(ofRow: row)))
  }
}

/// A result of a query.
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

extension GridIndex {
  /// Finds the nearest entries within a radius, nearest first, at most `limit`. They replace the contents of `results`, whose
  /// memory is reused.
  package func findNearest(
    to center: Coordinate, radiusMetres: Double, limit: Int = .max, into results: inout [Neighbour]
  ) {
    precondition(radiusMetres >= 0 && limit >= 0, "a radius and a limit are not negative")
    results.removeAll(keepingCapacity: true)
    let circle = Circle(center: center, radiusMetres: radiusMetres)
    let reach = Reach(center: center, radiusMetres: radiusMetres)
    let (firstRow, lastRow) = (row(ofLatitude: reach.south), row(ofLatitude: reach.north))
    // Continues from one row with entries to the next, however many empty ones are in between.
    var index = firstEntry { $0.cell.row < firstRow }
    while index < entries.count, entries[index].cell.row <= lastRow {
      let row = entries[index].cell.row
      scan(row, reach.longitudes, in: circle, from: &index, into: &results)
      if let longitudes = reach.furtherEast { scan(row, longitudes, in: circle, from: &index, into: &results) }
      index = firstEntry(from: index) { $0.cell.row <= row }
    }
    results.sort()
    if results.count > limit { results.removeLast(results.count - limit) }
  }

  /// Scans the cells of a row and moves the index past them, so that no cell is scanned twice.
  private func scan(
    _ row: Int, _ longitudes: Reach.Longitudes, in circle: Circle, from index: inout Int,
    into results: inout [Neighbour]
  ) {
    let columns = columns(ofRow: row)
    let first = Cell(row: row, column: column(ofLongitude: longitudes.west, in: columns))
    // The column of 180 is the first of the row; ranges that reach the antimeridian include it.
    let isToTheEnd = longitudes.east == 180
    let last = isToTheEnd ? Int(columns) - 1 : column(ofLongitude: longitudes.east, in: columns)
    index = firstEntry(from: index) { $0.cell < first }
    while index < entries.count, entries[index].cell <= Cell(row: row, column: last) {
      let entry = entries[index]
      let distance = circle.center.distanceMetres(to: entry.place)
      if distance <= circle.radiusMetres { results.append(Neighbour(id: entry.id, distanceMetres: distance)) }
      index += 1
    }
  }
}

/// The latitudes and longitudes that a circle touches, with a small margin.
struct Reach {
  typealias Longitudes = (west: Double, east: Double)

  let south: Double
  let north: Double
  let longitudes: Longitudes
  /// The remaining range east of `longitudes` when the circle crosses the antimeridian.
  let furtherEast: Longitudes?

  /// Metres. The radius of curvature is nowhere smaller than that of the meridian at the equator, 6,335,439, and no
  /// angle is larger than with it; the rest is for the tolerance of distances.
  private static let smallestRadius = 6_334_800.0

  init(center: Coordinate, radiusMetres: Double) {
    // The millimetre covers the rounding of degrees, which matters when the radius is 0.
    let degrees = (radiusMetres + 0.001) / Reach.smallestRadius * PortableMath.degreesPerRadian
    south = max(center.latitude - degrees, -90)
    north = min(center.latitude + degrees, 90)
    guard center.latitude.magnitude + degrees < 89.999 else {
      longitudes = (-180, 180)
      furtherEast = nil
      return
    }
    let half = Reach.halfLongitude(latitude: center.latitude, degrees: degrees)
    let (west, east) = (center.longitude - half, center.longitude + half)
    if west < -180 {
      longitudes = (-180, east)
      furtherEast = (west + 360, 180)
    } else if east >= 180 {
      longitudes = (-180, east - 360)
      furtherEast = (west, 180)
    } else {
      longitudes = (west, east)
      furtherEast = nil
    }
  }

  /// Returns the difference to the meridian that touches a circle on a sphere: sin Δλ = sin r / cos φ.
  private static func halfLongitude(latitude: Double, degrees: Double) -> Double {
    let sine = PortableMath.sineAndCosine(degrees: degrees).sine
    let cosine = PortableMath.sineAndCosine(degrees: latitude).cosine
    let root = max(cosine * cosine - sine * sine, 0).squareRoot()
    return PortableMath.arcTangent(y: sine, x: root) * PortableMath.degreesPerRadian
  }
}
