import CLinux
import Glibc
import Synchronization
import Upload

/// What other threads want of the loop.
enum TransportOrder: Sendable {
  case submit(OutgoingRequest, device: Int)
  case cancel(UInt64, device: Int)
  case stop
}

/// Where they leave it: in order, and the loop is woken once for a burst.
final class OrderMailbox: Sendable {
  private struct State {
    var orders: [TransportOrder] = []
    var isAwake = false
  }

  /// Readable while orders wait.
  let wakeUp: Int32
  private let state = Mutex(State())

  init() throws(TransportError) {
    wakeUp = rr_eventfd()
    guard wakeUp >= 0 else { throw TransportError(call: "eventfd", code: Int(errno)) }
  }

  deinit { close(wakeUp) }

  func post(_ order: TransportOrder) {
    wake { $0.append(order) }
  }

  /// Ends a wait, without an order.
  func wake() { wake { _ in } }

  private func wake(_ change: (inout [TransportOrder]) -> Void) {
    let mustWake = state.withLock { state in
      change(&state.orders)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if mustWake {
      let result = eventfd_write(wakeUp, 1)
      precondition(result == 0, "a counter below its end takes one more")
    }
  }

  /// Everything since the last call. `empty` becomes the next box, with its capacity.
  func collect(into orders: inout [TransportOrder]) {
    var count: eventfd_t = 0
    // Fails when nobody has woken the loop.
    _ = unsafe eventfd_read(wakeUp, &count)
    state.withLock { state in
      swap(&orders, &state.orders)
      state.isAwake = false
    }
  }
}
