/// A span of time with one acceleration, until the next piece begins.
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

  /// When the body is so far along. The quadratic formula is turned over, so that nothing cancels.
  func seconds(atMetres metres: Double) -> Double {
    let way = metres - startMetres
    guard way > 0 else { return startSeconds }
    let root = max(speed * speed + 2 * acceleration * way, 0).squareRoot()
    return startSeconds + 2 * way / (speed + root)
  }
}
