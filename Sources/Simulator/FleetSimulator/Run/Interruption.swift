import Base
import Synchronization

/// A wish from outside to end a run early, from any thread.
package final class Interruption: Sendable {
  private struct State {
    var isRequested = false
    var alarm: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// The devices stop where they are; what they have may still be delivered for a short while.
  package func request() {
    let alarm = state.withLock { state in
      state.isRequested = true
      return state.alarm
    }
    alarm?()
  }

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// How long queues may drain after it.
  static let patience = Nanoseconds.seconds(5)

  /// Called with the wish: ends a wait.
  func onRequest(_ alarm: @escaping @Sendable () -> Void) { state.withLock { $0.alarm = alarm } }
}
