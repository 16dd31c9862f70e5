/// A path with what is along it: how fast each edge may be driven and where one has to stand.
struct Course: Sendable {
  /// A reason to stand at a vertex.
  enum Stop: Equatable, Sendable {
    case halt(seconds: Double)
    case light(TrafficLight, isNorthSouth: Bool)
  }

  let path: Path
  /// Metres per second for each edge; one less than vertices.
  let limits: [Double]
  /// By vertex, ascending, at most one for each, none for the first and last.
  let stops: [(vertex: Int, stop: Stop)]

  init(path: Path, limits: [Double], stops: [(vertex: Int, stop: Stop)] = []) {
    precondition(limits.count == path.vertices.count - 1, "each edge has a limit")
    precondition(limits.allSatisfy { $0 > 0 }, "a limit is more than nothing")
    self.path = path
    self.limits = limits
    self.stops = stops
  }
}
