/// The event loops of a server: started together on one address, drained or stopped together.
package final class LoopGroup<Session: ByteSession>: Sendable {
  /// Where clients connect to: the port is the real one also when the kernel chose it.
  package let address: SocketAddress
  /// The most connections that can be open at once.
  package let connectionsMax: Int
  let finish: Finish
  let loops: [RunningLoop<Session>]

  /// Listens, and starts the threads. `makeFactory` is called once on each loop's thread, with the number and the mailbox
  /// of the loop; what it returns makes the session of every connection there and need not be safe to share.
  package init(
    _ configuration: NetworkConfiguration, on listen: ListenAddress,
    makeFactory: @escaping @Sendable (Int, Mailbox<Session.Message>) -> (Accepted) -> Session
  ) throws(NetworkError) {
    let listeners = try Listener.share(listen, count: configuration.loops, backlog: configuration.backlog)
    var loops: [RunningLoop<Session>] = []
    do {
      let descriptors = try Syscalls.raiseDescriptorLimit() - configuration.descriptorReserve
      connectionsMax = max(1, min(configuration.connectionsMax, descriptors))
      finish = try Finish(count: listeners.count)
      let quota = ConnectionQuota(connectionsMax)
      for (number, listener) in listeners.enumerated() {
        let parts = try LoopParts<Session>(
          configuration, counters: LoopCounters(), quota: quota, listener: listener.take())
        loops.append(try RunningLoop(parts, number: number, finish: finish, makeFactory: makeFactory))
      }
    } catch {
      for loop in loops { loop.mailbox.tell(.stop) }
      for loop in loops { loop.join() }
      throw .system(error)
    }
    self.loops = loops
    address = loops[0].address
  }

  deinit {
    stop()
    wait()
  }

  /// One per loop, in the order of their numbers.
  package var mailboxes: [Mailbox<Session.Message>] { loops.map(\.mailbox) }
  package var figures: [LoopFigures] { loops.map(\.counters.figures) }
}
