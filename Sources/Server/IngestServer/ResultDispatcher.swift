import Network
import Store
import Synchronization

/// Takes the results of a group from the writer and delivers them to the loops that wait for them; each loop is woken once for
/// all of its results.
final class ResultDispatcher: Sendable {
  private let undelivered: UndeliveredCommands
  private let forwards: ForwarderSet
  private let mailboxes = Mutex<[Int: Mailbox<SessionMessage>]>([:])

  init(_ undelivered: UndeliveredCommands, _ forwards: ForwarderSet) {
    (self.undelivered, self.forwards) = (undelivered, forwards)
  }

  /// Must be called before the loop accepts its first connection.
  func open(_ mailbox: Mailbox<SessionMessage>, of loop: Int) { mailboxes.withLock { $0[loop] = mailbox } }

  /// Sends a message to one session, from any thread.
  func send(_ message: SessionMessage, to address: SessionAddress) {
    mailboxes.withLock { $0[address.loop] }?.post(message, to: ConnectionToken(word: address.connection))
  }

  /// Sends messages to many sessions, from any thread.
  func send(_ messages: [EventHub.Message]) {
    let mailboxes = mailboxes.withLock { $0 }
    var byLoop: [Int: [Mailbox<SessionMessage>.AddressedMessage]] = [:]
    for (message, address) in messages {
      let token = ConnectionToken(word: address.connection)
      byLoop[address.loop, default: []].append(Mailbox.AddressedMessage(to: token, message))
    }
    for loop in byLoop.keys.sorted() { mailboxes[loop]?.post(byLoop[loop] ?? []) }
  }

  func deliver(_ completions: [Completion]) {
    let mailboxes = mailboxes.withLock { $0 }
    var awaited = 0
    for completion in completions where completion.ticket != .reading {
      if forwards.take(completion) { continue }
      awaited += 1
      precondition(mailboxes[completion.ticket.owner] != nil, "a loop submits after it has opened its mailbox")
      let address = SessionAddress(loop: completion.ticket.owner, connection: completion.ticket.number)
      undelivered.committed(completion.result, for: address)
    }
    for loop in mailboxes.keys.sorted() {
      var messages: [Mailbox<SessionMessage>.AddressedMessage] = []
      messages.reserveCapacity(completions.count)
      for completion in completions where completion.ticket.owner == loop {
        let token = ConnectionToken(word: completion.ticket.number)
        messages.append(Mailbox.AddressedMessage(to: token, .completed(completion.result)))
      }
      mailboxes[loop]?.post(messages)
      awaited -= messages.count
    }
    precondition(awaited == 0, "each result goes to the loop that waits for it, once")
  }
}
