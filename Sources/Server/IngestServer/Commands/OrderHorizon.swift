import Base
import Synchronization

/// Until when any command may be waiting for any device. While nobody queues commands, answers that need nothing of the
/// store do not go there.
package final class OrderHorizon: Sendable {
  private let milliseconds = Atomic(WallInstant.earliest.millisecondsSince1970)

  /// Of a store without orders; one that may hold some of an earlier process is asked for the last of them.
  package init() {}

  func extend(to expiry: WallInstant) {
    milliseconds.max(expiry.millisecondsSince1970, ordering: .relaxed)
  }

  func isAhead(of now: WallInstant) -> Bool { now.millisecondsSince1970 < milliseconds.load(ordering: .relaxed) }
}
