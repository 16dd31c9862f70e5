package import Base
import CLinux
import Glibc
import Synchronization

/// Where a thread with other things to do waits for the ends of requests. Anybody may put something in, one thread takes
/// it out.
package final class CompletionMailbox: Sendable {
  private struct State {
    var completions: [TransportCompletion] = []
    var isAwake = false
  }

  /// Readable while something waits to be taken.
  private let wakeUp: Int32
  private let state = Mutex(State())

  package init() throws(TransportError) {
    wakeUp = rr_eventfd()
    guard wakeUp >= 0 else { throw TransportError(call: "eventfd", code: Int(errno)) }
  }

  deinit { close(wakeUp) }

  package func post(_ completions: [TransportCompletion]) {
    wake { $0.completions += completions }
  }

  /// Ends a wait that nothing else has ended.
  package func wake() { wake { _ in } }

  private func wake(_ change: (inout sending State) -> Void) {
    let mustWake = state.withLock { state in
      change(&state)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if mustWake {
      let result = eventfd_write(wakeUp, 1)
      precondition(result == 0, "a counter below its end takes one more")
    }
  }

  /// Everything since the last call, in place of what is in `completions`.
  package func collect(into completions: inout [TransportCompletion]) {
    completions.removeAll(keepingCapacity: true)
    state.withLock { state in
      guard state.isAwake else { return }
      var count: eventfd_t = 0
      _ = unsafe eventfd_read(wakeUp, &count)
      swap(&completions, &state.completions)
      state.isAwake = false
    }
  }

  /// Until something was put in, or that instant; nil: for ever. Also returns on a signal.
  package func wait(until deadline: MonotonicInstant?) {
    let span = deadline.map { max(0, ($0 - SystemClock().monotonicNow).count) } ?? -1
    let result = rr_wait_readable(wakeUp, span)
    precondition(result >= 0 || errno == EINTR, "ppoll failed with errno \(errno)")
  }
}
