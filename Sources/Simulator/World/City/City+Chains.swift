import Base

extension City {
  /// Any address.
  func somewhere(from stream: inout RandomStream) -> Address {
    let isNorthSouth = stream.chance(0.5)
    let across = isNorthSouth ? columns : rows
    let street = Street(isNorthSouth: isNorthSouth, line: stream.index(below: across))
    let along = stream.index(below: isNorthSouth ? rows : columns)
    return Address(street: street, block: along, metres: (0.05 + 0.9 * stream.uniform()) * blockMetres)
  }

  /// A way of about so many metres from an address, by way of others when the city is smaller than that, and the address
  /// at which it ends.
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

  /// Of some ways the one that comes nearest to a length without being much longer.
  private func way(from start: Address, metres: Double, from stream: inout RandomStream) -> Way {
    let reach = max(1, Int(min(0.6 * metres / blockMetres, Double(max(columns, rows)))))
    var best: Way?
    for _ in 0..<City.choices {
      let way = way(from: start, to: address(near: start, withinBlocks: reach, from: &stream))
      // What is missing can be added by another way; what is too much cannot be taken away.
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
  /// One after the other without a stop between them.
  func followed(by next: Course) -> Course {
    let count = path.vertices.count
    return Course(
      path: Path(path.vertices + next.path.vertices.dropFirst()), limits: limits + next.limits,
      stops: stops + next.stops.map { ($0.vertex + count - 1, $0.stop) })
  }
}
