package import Base

/// The motion of a body along a path; its position at any time is found by searching the pieces, without stepping.
package final class Motion: Sendable {
  package let path: Path
  package let pieces: [MotionPiece]
  /// The duration.
  package let durationSeconds: Double

  /// The pieces are contiguous in time and place; there is at least one, and the first begins at second 0 and metre 0.
  init(path: Path, pieces: [MotionPiece], durationSeconds: Double) {
    precondition(!pieces.isEmpty, "a motion has at least one piece")
    self.path = path
    self.pieces = pieces
    self.durationSeconds = durationSeconds
  }

  /// Returns the position; before the start and after the end the body rests there.
  package func metres(at seconds: Double) -> Double {
    guard seconds > 0 else { return 0 }
    guard seconds < durationSeconds else { return path.lengthMetres }
    let index = piece(at: seconds)
    let limit = index + 1 < pieces.count ? pieces[index + 1].startMetres : path.lengthMetres
    return min(pieces[index].metres(at: seconds), limit)
  }

  package func speed(at seconds: Double) -> Double {
    guard seconds >= 0, seconds < durationSeconds else { return 0 }
    return pieces[piece(at: seconds)].speed(at: seconds)
  }

  package func place(at seconds: Double) -> Coordinate { path.place(atMetres: metres(at: seconds)) }

  /// Reports whether the body is stopped, for example at a light.
  package func isHalted(at seconds: Double) -> Bool {
    guard seconds >= 0, seconds < durationSeconds else { return true }
    return pieces[piece(at: seconds)].isHalt
  }

  /// Returns when the body first reaches a distance; nil beyond the end.
  package func seconds(atMetres metres: Double) -> Double? {
    guard metres <= path.lengthMetres else { return nil }
    var (low, high) = (0, pieces.count - 1)
    // The last piece that begins before the point; for a halt at the point itself, the piece that leads there.
    while low < high {
      let middle = (low + high + 1) / 2
      if pieces[middle].startMetres < metres { low = middle } else { high = middle - 1 }
    }
    let end = low + 1 < pieces.count ? pieces[low + 1].startSeconds : durationSeconds
    return min(pieces[low].seconds(atMetres: metres), end)
  }

  /// Returns when the body leaves a point, after a halt there; nil beyond the end.
  func secondsLeaving(metres: Double) -> Double? {
    guard let reached = seconds(atMetres: metres) else { return nil }
    var index = piece(at: reached)
    if index + 1 < pieces.count, pieces[index + 1].isHalt, pieces[index + 1].startMetres <= metres { index += 1 }
    guard pieces[index].isHalt else { return reached }
    return index + 1 < pieces.count ? pieces[index + 1].startSeconds : durationSeconds
  }

  /// Returns when a halt next begins or ends; nil when none does before the end.
  package func nextHaltChange(after seconds: Double) -> Double? {
    var index = piece(at: seconds)
    let wasHalt = pieces[index].isHalt
    index += 1
    while index < pieces.count {
      if pieces[index].isHalt != wasHalt && pieces[index].startSeconds > seconds { return pieces[index].startSeconds }
      index += 1
    }
    return nil
  }

  /// Returns the last piece that has begun.
  func piece(at seconds: Double) -> Int {
    var (low, high) = (0, pieces.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if pieces[middle].startSeconds <= seconds { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

/// A period of constant acceleration, until the next piece begins.
package struct MotionPiece: Equatable, Sendable {
  /// Since the motion began.
  package let startSeconds: Double
  /// Along the path.
  package let startMetres: Double
  /// At the start, metres per second.
  package let speed: Double
  /// Metres per second squared, constant.
  package let acceleration: Double

  var isHalt: Bool { speed == 0 && acceleration == 0 }

  func metres(at seconds: Double) -> Double {
    let t = seconds - startSeconds
    return startMetres + t * (speed + 0.5 * acceleration * t)
  }

  func speed(at seconds: Double) -> Double { max(speed + acceleration * (seconds - startSeconds), 0) }

  /// Returns when the body reaches a distance, by a form of the quadratic formula without cancellation.
  func seconds(atMetres metres: Double) -> Double {
    let way = metres - startMetres
    guard way > 0 else { return startSeconds }
    let root = max(speed * speed + 2 * acceleration * way, 0).squareRoot()
    return startSeconds + 2 * way / (speed + root)
  }
}

extension Motion {
  /// Returns the beginning, `metres` long; the whole if it is shorter.
  func prefix(metres: Double) -> Motion {
    guard metres < path.lengthMetres, let seconds = seconds(atMetres: metres), seconds > 0 else { return self }
    return Motion(
      path: path.prefix(metres: metres), pieces: Array(pieces.prefix { $0.startSeconds < seconds }),
      durationSeconds: seconds)
  }
}

extension Motion {
  /// Constant speed between points. The seconds ascend, one per place; equal places mean a rest.
  convenience init(places: [Coordinate], seconds: [Double]) {
    precondition(places.count == seconds.count, "each place has a time")
    let path = Path(places)
    var pieces: [MotionPiece] = []
    pieces.reserveCapacity(places.count)
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

  /// The same path in the opposite direction with the same speeds in reverse order.
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
