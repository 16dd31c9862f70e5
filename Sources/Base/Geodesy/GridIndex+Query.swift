extension GridIndex {
  /// The nearest entries within a radius, nearest first, at most `limit`. They replace what was in `results`, whose
  /// memory is used again.
  package func findNearest(
    to center: Coordinate, radiusMetres: Double, limit: Int = .max, into results: inout [Neighbour]
  ) {
    precondition(radiusMetres >= 0 && limit >= 0, "a radius and a limit are not negative")
    results.removeAll(keepingCapacity: true)
    let circle = Circle(center: center, radiusMetres: radiusMetres)
    let reach = Reach(center: center, radiusMetres: radiusMetres)
    let (firstRow, lastRow) = (row(ofLatitude: reach.south), row(ofLatitude: reach.north))
    // From one row that has entries to the next, however many are empty in between.
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

  /// Goes through the cells of a row and leaves the index behind them, so that no cell is gone through twice.
  private func scan(
    _ row: Int, _ longitudes: Reach.Longitudes, in circle: Circle, from index: inout Int,
    into results: inout [Neighbour]
  ) {
    let columns = columns(ofRow: row)
    let first = Cell(row: row, column: column(ofLongitude: longitudes.west, in: columns))
    // The column of 180 is the first of the row, and the ranges that reach the antimeridian have that, too.
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
