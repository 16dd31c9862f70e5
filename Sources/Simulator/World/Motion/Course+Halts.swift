import Base

extension Course {
  /// The same way with stops at places that chance chooses: the ways between them are exponentially distributed, so that
  /// their number is a Poisson number.
  func halting(_ stops: Transport.Stops?, from stream: RandomStream) -> Course {
    guard let stops, stops.perKilometre > 0, path.vertices.count > 1 else { return self }
    var stream = stream
    var (vertices, limits, halts) = ([path.vertices[0]], [Double](), [(vertex: Int, stop: Stop)]())
    var next = self.stops[...]
    var metres = stream.exponential(mean: 1_000 / stops.perKilometre)
    for edge in self.limits.indices {
      while metres < path.metres[edge + 1] {
        // Not at a vertex, which may have a stop of its own.
        if metres - path.metres[edge] > 1, path.metres[edge + 1] - metres > 1 {
          halts.append((vertices.count, .halt(seconds: stops.duration.draw(from: &stream))))
          vertices.append(path.place(atMetres: metres))
          limits.append(self.limits[edge])
        }
        metres += max(stream.exponential(mean: 1_000 / stops.perKilometre), 3)
      }
      if let stop = next.first, stop.vertex == edge + 1 {
        halts.append((vertices.count, stop.stop))
        next.removeFirst()
      }
      vertices.append(path.vertices[edge + 1])
      limits.append(self.limits[edge])
    }
    return Course(path: Path(vertices), limits: limits, stops: halts)
  }

  /// The first so many metres of it; the whole when it is shorter.
  func prefix(metres: Double) -> Course {
    guard metres < path.lengthMetres, path.vertices.count > 1 else { return self }
    let edge = path.edge(atMetres: metres)
    let path = path.prefix(metres: metres)
    let last = path.vertices.count - 1
    return Course(
      path: path, limits: Array(limits[..<min(edge + 1, last)]), stops: stops.filter { $0.vertex < last })
  }
}

extension Path {
  /// The first so many metres, at least a little of it.
  func prefix(metres: Double) -> Path {
    guard metres < lengthMetres else { return self }
    let edge = edge(atMetres: metres)
    return Path(vertices[...edge] + [place(atMetres: metres)])
  }
}
