import Base
import Synchronization

/// A request to end a run early; may be made from any thread.
package final class Interruption: Sendable {
  private struct State {
    var isRequested = false
    var alarm: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Requests the end: the devices stop where they are; their queues may drain for a short while.
  package func request() {
    let alarm = state.withLock { state in
      state.isRequested = true
      return state.alarm
    }
    alarm?()
  }

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// How long queues may drain after the request.
  static let grace = Nanoseconds.seconds(5)

  /// Sets a callback that ends a wait when the request is made.
  package func onRequest(_ alarm: @escaping @Sendable () -> Void) { state.withLock { $0.alarm = alarm } }
}
