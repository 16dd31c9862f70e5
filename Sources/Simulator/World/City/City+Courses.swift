import Base

extension City {
  /// The way as something to drive: a vertex at each end, turn and light.
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

  /// A trip along the way, as the mover would make it at this time.
  func trip(along way: Way, by transport: Transport, at start: MonotonicInstant, paces: PaceStream) -> Trip {
    let course = course(along: way)
    return Trip.driving(course, by: transport, at: start, paces: paces) { self.zones(from: $0, to: $1) }
  }
}

/// Collects vertices, limits and stops in the order of the way.
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

  /// At the last vertex.
  mutating func stop(_ light: TrafficLight?, isNorthSouth: Bool) {
    guard let light else { return }
    stops.append((vertices.count - 1, .light(light, isNorthSouth: isNorthSouth)))
  }

  var course: Course { Course(path: Path(vertices), limits: limits, stops: stops) }
}
