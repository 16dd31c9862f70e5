import Base

extension City {
  /// Returns a shortest path between two addresses, in constant time: all monotone paths through a grid have the same length,
  /// so only the ends of the two blocks must be tried. Among these it uses the fastest street between the two places.
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

  /// Returns the fastest path with at most two turns, by speed limits.
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

  /// Returns the fastest street between two lines. Besides the two, only the lines of the first district on the way are
  /// considered, because they include all street classes.
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

  /// Returns the street through both crossings.
  func street(from first: Crossing, to last: Crossing) -> Street {
    first.column == last.column
      ? Street(isNorthSouth: true, line: first.column) : Street(isNorthSouth: false, line: first.row)
  }

  /// Removes crossings that repeat the last one or lie straight between their neighbours.
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

/// A shortest path through the grid: from one address to another, by the crossings at which it turns.
package struct Way: Equatable, Sendable {
  package let start: Address
  package let end: Address
  /// The first and the last are ends of the addresses' blocks; adjacent ones share a street. Empty when both addresses
  /// are in the same block.
  package let crossings: [Crossing]
  package let lengthMetres: Double
}

extension City {
  /// Returns the course of a path: a vertex at each end, turn and light.
  func course(along way: Way) -> Course {
    var builder = CourseBuilder(first: coordinate(of: way.start))
    if way.crossings.isEmpty {
      builder.go(to: coordinate(of: way.end), limit: speedLimit(of: way.start.street))
      return builder.course
    }
    var previous = way.crossings[0]
    builder.go(to: coordinate(of: previous), limit: speedLimit(of: way.start.street))
    builder.stop(light(at: previous), isNorthSouth: way.start.street.isNorthSouth)
    for crossing in way.crossings.dropFirst() {
      let street = street(from: previous, to: crossing)
      let limit = speedLimit(of: street)
      let (first, last) =
        street.isNorthSouth ? (previous.row, crossing.row) : (previous.column, crossing.column)
      let step = last > first ? 1 : -1
      var line = first + step
      while line != last + step {
        let passed =
          street.isNorthSouth ? Crossing(column: crossing.column, row: line) : Crossing(column: line, row: crossing.row)
        let light = light(at: passed)
        if light != nil || line == last { builder.go(to: coordinate(of: passed), limit: limit) }
        builder.stop(light, isNorthSouth: street.isNorthSouth)
        line += step
      }
      previous = crossing
    }
    builder.go(to: coordinate(of: way.end), limit: speedLimit(of: way.end.street))
    return builder.course
  }

  /// Returns the trip along the path, as driven at this time.
  func trip(along way: Way, by transport: Transport, at start: MonotonicInstant, paces: PaceStream) -> Trip {
    let course = course(along: way)
    return Trip.driving(course, by: transport, at: start, paces: paces) { self.zones(from: $0, to: $1) }
  }
}

/// Collects vertices, limits and stops along the path.
private struct CourseBuilder {
  private var vertices: [Coordinate]
  private var limits: [Double] = []
  private var stops: [(vertex: Int, stop: Course.Stop)] = []

  init(first: Coordinate) { vertices = [first] }

  mutating func go(to place: Coordinate, limit: Double) {
    guard place != vertices[vertices.count - 1] else { return }
    vertices.append(place)
    limits.append(limit)
  }

  /// Adds a stop at the last vertex.
  mutating func stop(_ light: TrafficLight?, isNorthSouth: Bool) {
    guard let light else { return }
    stops.append((vertices.count - 1, .light(light, isNorthSouth: isNorthSouth)))
  }

  var course: Course { Course(path: Path(vertices), limits: limits, stops: stops) }
}

extension City {
  /// Returns the home of a device's owner, on a local street.
  package func home(of device: UInt64, seed: UInt64) -> Address {
    var stream = RandomStreamID.home.stream(seed: seed, device: device)
    let isNorthSouth = stream.chance(0.5)
    let line = City.localLine(stream.index(below: lines(isNorthSouth) / 4 * 3))
    return address(
      on: Street(isNorthSouth: isNorthSouth, line: line), along: stream.uniform(), inBlock: stream.uniform())
  }

  /// Returns the workplace of the owner, on a major street, more often near the centre.
  package func work(of device: UInt64, seed: UInt64) -> Address {
    var stream = RandomStreamID.work.stream(seed: seed, device: device)
    let isNorthSouth = stream.chance(0.5)
    // The mean of two uniform numbers peaks in the middle.
    let across = 0.5 * (stream.uniform() + stream.uniform())
    let line = Int(across * Double(lines(isNorthSouth) / 4)) * 4
    let along = 0.5 * (stream.uniform() + stream.uniform())
    return address(on: Street(isNorthSouth: isNorthSouth, line: line), along: along, inBlock: stream.uniform())
  }

  package var depotCount: Int { max(1, zones.count / 16) }

  /// Returns a depot on an arterial street; `number` counts from 0 to `depotCount`.
  package func depot(_ number: Int) -> Address {
    precondition(number >= 0 && number < depotCount, "there is no such depot")
    var stream = RandomStreamID.places.stream(seed: seed, device: RandomStreamID.city, n: UInt64(number) * 4)
    let isNorthSouth = stream.chance(0.5)
    let line = stream.index(below: lines(isNorthSouth) / 8) * 8 + 4
    return address(
      on: Street(isNorthSouth: isNorthSouth, line: line), along: stream.uniform(), inBlock: stream.uniform())
  }

  /// Returns a random address within a number of blocks in each direction, with two draws for the block and two within it.
  func address(near middle: Address, withinBlocks reach: Int, from stream: inout RandomStream) -> Address {
    let isNorthSouth = stream.chance(0.5)
    let (column, row) =
      middle.street.isNorthSouth ? (middle.street.line, middle.block) : (middle.block, middle.street.line)
    let (line, block) = isNorthSouth ? (column, row) : (row, column)
    func moved(_ position: Int, _ end: Int) -> Int {
      min(max(position - reach + stream.index(below: 2 * reach + 1), 0), end - 1)
    }
    let street = Street(isNorthSouth: isNorthSouth, line: moved(line, lines(isNorthSouth)))
    return Address(
      street: street, block: moved(block, lines(!isNorthSouth)), metres: metres(inBlock: stream.uniform()))
  }

  /// Returns the number of lines in a direction, without the last, which bounds the city.
  private func lines(_ isNorthSouth: Bool) -> Int { isNorthSouth ? columns : rows }

  private func address(on street: Street, along: Double, inBlock: Double) -> Address {
    let blocks = lines(!street.isNorthSouth)
    return Address(street: street, block: Int(along * Double(blocks)), metres: metres(inBlock: inBlock))
  }

  /// Avoids the crossings themselves, which belong to two streets.
  private func metres(inBlock fraction: Double) -> Double { (0.05 + 0.9 * fraction) * blockMetres }

  /// Returns the line of a local street by its number among local ones: three between two major ones.
  private static func localLine(_ number: Int) -> Int { number / 3 * 4 + 1 + number % 3 }
}

extension City {
  /// Returns a random address.
  func somewhere(from stream: inout RandomStream) -> Address {
    let isNorthSouth = stream.chance(0.5)
    let across = isNorthSouth ? columns : rows
    let street = Street(isNorthSouth: isNorthSouth, line: stream.index(below: across))
    let along = stream.index(below: isNorthSouth ? rows : columns)
    return Address(street: street, block: along, metres: (0.05 + 0.9 * stream.uniform()) * blockMetres)
  }

  /// Returns a course of about `metres` from an address, in several sections if the city is smaller, and its final address.
  func course(
    from start: Address, metres: Double, from stream: inout RandomStream
  ) -> (course: Course, end: Address) {
    var (rest, address) = (max(metres, blockMetres), start)
    var whole: Course?
    for _ in 0..<City.waysMax where whole == nil || rest > blockMetres {
      let way = way(from: address, metres: rest, from: &stream)
      guard way.lengthMetres > 0 else { continue }
      let course = course(along: way)
      whole = whole.map { $0.followed(by: course) } ?? course
      rest -= way.lengthMetres
      address = way.end
    }
    return (whole ?? course(along: way(from: start, to: start)), address)
  }

  /// Returns the path, among several, that is closest to a length without being much longer.
  private func way(from start: Address, metres: Double, from stream: inout RandomStream) -> Way {
    let reach = max(1, Int(min(0.6 * metres / blockMetres, Double(max(columns, rows)))))
    var best: Way?
    for _ in 0..<City.choices {
      let way = way(from: start, to: address(near: start, withinBlocks: reach, from: &stream))
      // A shortfall can be covered by another path; an excess cannot be removed.
      func error(_ way: Way) -> Double {
        way.lengthMetres > metres + blockMetres ? 10 * way.lengthMetres : (way.lengthMetres - metres).magnitude
      }
      if best.map({ error(way) < error($0) }) ?? true { best = way }
    }
    guard let best else { preconditionFailure("there are some choices") }
    return best
  }

  private static let waysMax = 200
  private static let choices = 8
}

extension Course {
  /// Joins two courses without a stop between them.
  func followed(by next: Course) -> Course {
    let count = path.vertices.count
    return Course(
      path: Path(path.vertices + next.path.vertices.dropFirst()), limits: limits + next.limits,
      stops: stops + next.stops.map { ($0.vertex + count - 1, $0.stop) })
  }
}
