internal import Base
internal import Synchronization
internal import Threads

/// Where other threads leave messages for the sessions of one loop. Its length is bounded by its writers: each message
/// answers a ticket in flight, or was let through because the one before it was delivered.
package final class Mailbox<Message: Sendable>: Sendable {
  /// A message with the connection that it is for.
  package struct AddressedMessage: Sendable {
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

  private let inbox: ThreadInbox<AddressedMessage>
  private let control = Mutex<Control?>(nil)

  init() throws(SystemError) {
    do { inbox = try ThreadInbox() } catch { throw SystemError(call: "eventfd", code: error.code) }
  }

  /// Readable when there is something to collect.
  var wakeUp: Int32 { inbox.wakeUp }

  /// From any thread. A message to a connection that is gone, or to a loop that has ended, is dropped and counted.
  package func post(_ message: Message, to token: ConnectionToken) {
    inbox.post(AddressedMessage(to: token, message))
  }

  /// From any thread; the loop is woken once for all of them.
  package func post(_ messages: [AddressedMessage]) { inbox.post(messages) }

  /// A stop stands until it is read; a drain does not take it back.
  func tell(_ control: Control) {
    self.control.withLock { present in
      if case .stop = present { return }
      present = control
    }
    inbox.wake()
  }

  /// Everything that came since the last call, the oldest first. The array that is passed in, empty, is filled next.
  func collect(into messages: inout [AddressedMessage]) -> Control? {
    inbox.collect(into: &messages)
    return control.withLock { $0.take() }
  }

  /// The loop ends; messages that come later are dropped at once.
  func close() { inbox.close() }
}
