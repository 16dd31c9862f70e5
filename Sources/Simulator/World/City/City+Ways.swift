extension City {
  /// A shortest way between two addresses, in constant time: all ways through a grid that never turn back are equally
  /// long, so only the ends of the two blocks have to be tried. Of all these ways it is one that uses the fastest street
  /// between the two places.
  package func way(from start: Address, to end: Address) -> Way {
    if start.street == end.street && start.block == end.block {
      return Way(start: start, end: end, crossings: [], lengthMetres: (start.metres - end.metres).magnitude)
    }
    var best: (first: Crossing, last: Crossing, metres: Double)?
    for (first, toFirst) in ends(of: start) {
      for (last, fromLast) in ends(of: end) {
        let blocks = (first.column - last.column).magnitude + (first.row - last.row).magnitude
        let metres = toFirst + Double(blocks) * blockMetres + fromLast
        if metres < best?.metres ?? .infinity { best = (first, last, metres) }
      }
    }
    guard let best else { preconditionFailure("an address has two ends") }
    return Way(
      start: start, end: end, crossings: turns(from: best.first, to: best.last), lengthMetres: best.metres)
  }

  private func ends(of address: Address) -> [(Crossing, Double)] {
    let (low, high) = address.ends
    return [(low, address.metres), (high, blockMetres - address.metres)]
  }

  /// The way with at most two turns that takes the least time at the speed limits.
  private func turns(from first: Crossing, to last: Crossing) -> [Crossing] {
    let row = fastestLine(between: first.row, last.row, isNorthSouth: false)
    let column = fastestLine(between: first.column, last.column, isNorthSouth: true)
    let candidates = [
      [first, Crossing(column: first.column, row: row), Crossing(column: last.column, row: row), last],
      [first, Crossing(column: column, row: first.row), Crossing(column: column, row: last.row), last],
      [first, Crossing(column: last.column, row: first.row), last],
      [first, Crossing(column: first.column, row: last.row), last],
    ]
    var best = (crossings: candidates[0], seconds: Double.infinity)
    for candidate in candidates {
      let seconds = zip(candidate, candidate.dropFirst()).reduce(0) { $0 + self.seconds(from: $1.0, to: $1.1) }
      if seconds < best.seconds { best = (candidate, seconds) }
    }
    return withoutNeedless(best.crossings)
  }

  /// The fastest street from one line to another. Only the lines of the first district on the way are looked at besides
  /// the two: all classes of streets are among them.
  private func fastestLine(between first: Int, _ last: Int, isNorthSouth: Bool) -> Int {
    let step = last >= first ? 1 : -1
    var best = (line: first, limit: 0.0)
    for distance in 0...min((last - first).magnitude, UInt(City.districtBlocks)) {
      let line = first + step * Int(distance)
      let limit = speedLimit(of: Street(isNorthSouth: isNorthSouth, line: line))
      if limit > best.limit { best = (line, limit) }
    }
    return best.line
  }

  private func seconds(from first: Crossing, to last: Crossing) -> Double {
    guard first != last else { return 0 }
    let blocks = (first.column - last.column).magnitude + (first.row - last.row).magnitude
    return Double(blocks) * blockMetres / speedLimit(of: street(from: first, to: last))
  }

  /// The street with both crossings on it.
  func street(from first: Crossing, to last: Crossing) -> Street {
    first.column == last.column
      ? Street(isNorthSouth: true, line: first.column) : Street(isNorthSouth: false, line: first.row)
  }

  /// Leaves out crossings that repeat the one before or lie straight between their neighbours.
  private func withoutNeedless(_ crossings: [Crossing]) -> [Crossing] {
    var kept: [Crossing] = []
    for crossing in crossings where kept.last != crossing {
      if kept.count >= 2 {
        let (a, b) = (kept[kept.count - 2], kept[kept.count - 1])
        let isStraight =
          (a.column == b.column && b.column == crossing.column) || (a.row == b.row && b.row == crossing.row)
        if isStraight { kept.removeLast() }
      }
      kept.append(crossing)
    }
    return kept
  }
}
