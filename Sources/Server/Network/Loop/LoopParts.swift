/// What a loop is made of: collected on the thread that starts it, where a failure can still be reported, and handed over.
struct LoopParts<Session: ByteSession>: ~Copyable, Sendable {
  let configuration: NetworkConfiguration
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let quota: ConnectionQuota
  let poller: Poller
  let listener: Listener

  init(
    _ configuration: NetworkConfiguration, counters: LoopCounters, quota: ConnectionQuota, listener: consuming Listener
  ) throws(SystemError) {
    let mailbox = try Mailbox<Session.Message>()
    let poller = try Poller()
    try poller.add(mailbox.wakeUp, Poller.readable, token: .mailbox)
    try poller.add(listener.socket, Poller.readable, token: .listener)
    self.configuration = configuration
    self.mailbox = mailbox
    self.counters = counters
    self.quota = quota
    self.poller = poller
    self.listener = listener
  }
}
