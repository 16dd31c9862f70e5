internal import Base
internal import Synchronization

/// Where other threads leave messages for the sessions of one loop. Its length is bounded by its writers: each message
/// answers a ticket in flight, or was let through because the one before it was delivered.
package final class Mailbox<Message: Sendable>: Sendable {
  /// A message with the connection that it is for.
  package struct Letter: Sendable {
    package let token: ConnectionToken
    package let message: Message

    package init(to token: ConnectionToken, _ message: Message) {
      self.token = token
      self.message = message
    }
  }

  enum Control: Sendable {
    case drain(within: Nanoseconds)
    case stop
  }

  private struct State {
    var letters: [Letter] = []
    var control: Control?
    /// The loop was woken and has not looked yet: one write to the counter for a burst of letters.
    var isAwake = false
    var isClosed = false
  }

  let wakeUp: FileDescriptor
  private let state = Mutex(State())

  init() throws(SystemError) { wakeUp = try Syscalls.eventCounter() }

  /// From any thread. A letter to a connection that is gone, or to a loop that has ended, is dropped and counted.
  package func post(_ message: Message, to token: ConnectionToken) {
    update { $0.letters.append(Letter(to: token, message)) }
  }

  /// From any thread; the loop is woken once for all of them.
  package func post(_ letters: [Letter]) {
    guard !letters.isEmpty else { return }
    update { $0.letters.append(contentsOf: letters) }
  }

  /// A stop stands until it is read; a drain does not take it back.
  func tell(_ control: Control) {
    update {
      if case .stop = $0.control { return }
      $0.control = control
    }
  }

  private func update(_ change: (inout State) -> Void) {
    let mustWake = state.withLock { state in
      guard !state.isClosed else { return false }
      change(&state)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if mustWake { Syscalls.signal(wakeUp) }
  }

  /// Everything that came since the last call, the oldest first. `empty` becomes the next box, with its capacity.
  func collect(into letters: inout [Letter]) -> Control? {
    Syscalls.clear(wakeUp)
    return state.withLock { state in
      swap(&letters, &state.letters)
      state.isAwake = false
      return state.control.take()
    }
  }

  /// The loop ends; letters that come later are let go at once.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.letters = []
    }
  }
}
