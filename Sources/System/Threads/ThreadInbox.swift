internal import CLinux
internal import Glibc
internal import Synchronization

/// Messages from other threads to a thread that waits for descriptors: in order, with one wake-up per burst.
package final class ThreadInbox<Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    /// Whether the reader was woken and has not read yet.
    var isAwake = false
    var isClosed = false
  }

  /// Readable while messages wait, or after `wake`.
  package let wakeUp: Int32
  private let state = Mutex(State())

  package init() throws(NoDescriptor) {
    wakeUp = rr_eventfd()
    guard wakeUp >= 0 else { throw NoDescriptor(code: errno) }
  }

  deinit { Glibc.close(wakeUp) }

  /// Posts a message from any thread. After `close`, messages are dropped.
  package func post(_ message: Message) { update { $0.append(message) } }

  /// Posts messages from any thread; the reader is woken once for all of them.
  package func post(_ messages: [Message]) {
    guard !messages.isEmpty else { return }
    update { $0.append(contentsOf: messages) }
  }

  /// Ends a wait without a message.
  package func wake() { update { _ in } }

  private func update(_ change: (inout [Message]) -> Void) {
    let mustWake = state.withLock { state in
      guard !state.isClosed else { return false }
      change(&state.messages)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    guard mustWake else { return }
    let result = eventfd_write(wakeUp, 1)
    precondition(result == 0, "a counter below its maximum takes one more")
  }

  /// Returns everything since the last call, the oldest first. The empty array that is passed in becomes the next buffer, so
  /// that its capacity is kept.
  package func collect(into messages: inout [Message]) {
    precondition(messages.isEmpty, "messages that were not read would come again")
    var count: eventfd_t = 0
    // Fails when the reader was not woken.
    _ = unsafe eventfd_read(wakeUp, &count)
    state.withLock { state in
      swap(&messages, &state.messages)
      state.isAwake = false
    }
  }

  /// Drops waiting and later messages.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.messages = []
    }
  }
}

/// The process has no free descriptors.
package struct NoDescriptor: Error {
  /// An errno.
  package let code: Int32
}
