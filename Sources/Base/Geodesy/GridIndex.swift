/// Finds the nearest of thousands of places. The earth is cut into rows of equal height in latitude, each row into as
/// many cells as are about as wide as high, so that cells near the poles are few and not thin.
///
/// The entries are one array, sorted by row, column and id: a row of neighbouring cells is a range of it, found by
/// bisection. A query costs the entries of the cells that its radius touches and some bisections; a change moves the
/// array, which is cheap beside a query for thousands of entries that are changed seldom.
package struct GridIndex: Sendable {
  struct Entry {
    let cell: Cell
    let id: Int
    let place: Coordinate
  }

  /// The cells in the order of the array.
  struct Cell: Comparable {
    let row: Int
    let column: Int

    static func < (left: Cell, right: Cell) -> Bool {
      left.row == right.row ? left.column < right.column : left.row < right.row
    }
  }

  let rowsPerDegree: Double
  private(set) var entries: [Entry] = []

  /// Cells about as high as the usual radius of a query are best; 100 metres and more.
  package init(cellMetres: Double) {
    precondition(cellMetres >= 100 && cellMetres <= 1e6, "a cell is 100 metres to 1,000 kilometres high")
    rowsPerDegree = 111_000 / cellMetres
  }

  package var count: Int { entries.count }

  /// False, and nothing happens, when the id is already there at this very place. One id at several places is several
  /// entries.
  @discardableResult
  package mutating func insert(_ id: Int, at place: Coordinate) -> Bool {
    let (index, isFound) = search(id, at: place)
    if !isFound { entries.insert(Entry(cell: cell(of: place), id: id, place: place), at: index) }
    return !isFound
  }

  /// False when the id is not at this place.
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

  /// The first entry, from a position on, that does not come before something.
  func firstEntry(from start: Int = 0, notBefore isBefore: (Entry) -> Bool) -> Int {
    var (low, high) = (start, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func row(ofLatitude latitude: Double) -> Int { Int((latitude + 90) * rowsPerDegree) }

  /// At least one; by the latitude in the middle of the row.
  func columns(ofRow row: Int) -> Double {
    let latitude = min((Double(row) + 0.5) / rowsPerDegree, 180) - 90
    return max(1, (360 * rowsPerDegree * PortableMath.sineAndCosine(degrees: latitude).cosine).rounded(.down))
  }

  /// The column of a longitude of −180 to 180; 180 itself is the column of −180.
  func column(ofLongitude longitude: Double, in columns: Double) -> Int {
    longitude == 180 ? 0 : Int(min(((longitude + 180) / 360 * columns).rounded(.down), columns - 1))
  }

  private func cell(of place: Coordinate) -> Cell {
    let row = row(ofLatitude: place.latitude)
    return Cell(row: row, column: column(ofLongitude: place.longitude, in: columns(ofRow: row)))
  }
}
