import Base
import World

extension City {
  /// Every street, from one side of the city to the other.
  var streets: [(street: Street, places: [Coordinate])] {
    let upright = (0...columns).map { line in
      (Street(isNorthSouth: true, line: line), Crossing(column: line, row: 0), Crossing(column: line, row: rows))
    }
    let level = (0...rows).map { line in
      (Street(isNorthSouth: false, line: line), Crossing(column: 0, row: line), Crossing(column: columns, row: line))
    }
    return (upright + level).map { street, start, end in
      (street: street, places: [coordinate(of: start), coordinate(of: end)])
    }
  }
}
