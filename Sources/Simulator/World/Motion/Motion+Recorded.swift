import Base

extension Motion {
  /// Even speed from point to point. The seconds ascend, one for each place; where the place stays the same the body
  /// stands.
  init(places: [Coordinate], seconds: [Double]) {
    precondition(places.count == seconds.count, "each place has a time")
    let path = Path(places)
    var pieces: [MotionPiece] = []
    var vertex = 0
    for index in 1..<max(places.count, 1) {
      let moves =
        vertex + 1 < path.vertices.count && places[index] == path.vertices[vertex + 1]
        && places[index] != places[index - 1]
      let span = seconds[index] - seconds[index - 1]
      let length = moves ? path.metres[vertex + 1] - path.metres[vertex] : 0
      if span > 0 {
        pieces.append(
          MotionPiece(
            startSeconds: seconds[index - 1] - seconds[0], startMetres: path.metres[vertex], speed: length / span,
            acceleration: 0))
      }
      if moves { vertex += 1 }
    }
    if pieces.isEmpty { pieces = [MotionPiece(startSeconds: 0, startMetres: 0, speed: 0, acceleration: 0)] }
    self.init(path: path, pieces: pieces, durationSeconds: (seconds.last ?? 0) - (seconds.first ?? 0))
  }

  /// The same way back with the same speeds, the last first.
  var reversed: Motion {
    let length = path.lengthMetres
    let pieces = pieces.indices.reversed().map { index in
      let piece = self.pieces[index]
      let end = index + 1 < self.pieces.count ? self.pieces[index + 1].startSeconds : durationSeconds
      return MotionPiece(
        startSeconds: durationSeconds - end, startMetres: length - piece.metres(at: end), speed: piece.speed(at: end),
        acceleration: -piece.acceleration)
    }
    return Motion(path: Path(path.vertices.reversed()), pieces: pieces, durationSeconds: durationSeconds)
  }
}
