import Base
import Synchronization

/// Until when any command may be waiting for any device. While nobody queues commands, answers that need nothing of the
/// store do not go there.
final class OrderHorizon: Sendable {
  private let milliseconds: Atomic<Int64>

  /// Of a store that may hold orders of an earlier process, `start` is later than any of them can live.
  init(_ start: WallInstant) { milliseconds = Atomic(start.millisecondsSince1970) }

  func extend(to expiry: WallInstant) {
    milliseconds.max(expiry.millisecondsSince1970, ordering: .relaxed)
  }

  func isAhead(of now: WallInstant) -> Bool { now.millisecondsSince1970 < milliseconds.load(ordering: .relaxed) }
}
