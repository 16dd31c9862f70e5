internal import Synchronization

/// The number of connections that all loops together may still open.
final class ConnectionQuota: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  func take() -> Bool {
    if left.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
    giveBack()
    return false
  }

  func giveBack() { left.add(1, ordering: .relaxed) }
}
