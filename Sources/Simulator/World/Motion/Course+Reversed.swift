extension Course {
  /// The same way back.
  var reversed: Course {
    let last = path.vertices.count - 1
    return Course(
      path: Path(path.vertices.reversed()), limits: limits.reversed(),
      stops: stops.reversed().map { (last - $0.vertex, $0.stop) })
  }
}
