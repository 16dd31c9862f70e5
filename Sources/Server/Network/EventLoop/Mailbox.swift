internal import Base
internal import Synchronization
internal import Threads

/// Messages from other threads to the sessions of one loop. Its length is bounded by its writers: each message answers a ticket
/// in flight, or was permitted because the one before it was delivered.
package final class Mailbox<Message: Sendable>: Sendable {
  /// A message with the connection that it is addressed to.
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

  /// Posts a message from any thread. A message to a closed connection or an ended loop is dropped and counted.
  package func post(_ message: Message, to token: ConnectionToken) {
    inbox.post(AddressedMessage(to: token, message))
  }

  /// Posts messages from any thread; the loop is woken once for all of them.
  package func post(_ messages: [AddressedMessage]) { inbox.post(messages) }

  /// A stop remains until it is read; a drain does not replace it.
  func tell(_ control: Control) {
    self.control.withLock { present in
      if case .stop = present { return }
      present = control
    }
    inbox.wake()
  }

  /// Returns everything since the last call, the oldest first. The empty array that is passed in becomes the next buffer.
  func collect(into messages: inout [AddressedMessage]) -> Control? {
    inbox.collect(into: &messages)
    return control.withLock { $0.take() }
  }

  /// Closes the mailbox when the loop ends; later messages are dropped at once.
  func close() { inbox.close() }
}
