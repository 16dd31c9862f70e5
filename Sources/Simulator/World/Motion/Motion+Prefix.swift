extension Motion {
  /// The beginning of it, up to so many metres; the whole when it is shorter.
  func prefix(metres: Double) -> Motion {
    guard metres < path.lengthMetres, let seconds = seconds(atMetres: metres), seconds > 0 else { return self }
    return Motion(
      path: path.prefix(metres: metres), pieces: Array(pieces.prefix { $0.startSeconds < seconds }),
      durationSeconds: seconds)
  }
}
