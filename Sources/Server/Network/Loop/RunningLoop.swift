internal import Synchronization
internal import Threads

/// An event loop on its thread, as the other threads see it.
final class RunningLoop<Session: ByteSession>: Sendable {
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let address: SocketAddress
  /// Nil when it was joined.
  private let thread: Mutex<NamedThread?>

  init(
    _ parts: consuming LoopParts<Session>, number: Int, finish: Finish,
    makeFactory: @escaping @Sendable (Int, Mailbox<Session.Message>) -> (Accepted) -> Session
  ) throws(SystemError) {
    let mailbox = parts.mailbox
    self.mailbox = mailbox
    counters = parts.counters
    address = parts.listener.address
    let handover = Handover(parts)
    do throws(NamedThread.Exhaustion) {
      thread = Mutex(
        try NamedThread(name: "loop-\(number)") {
          EventLoop(handover.take(), makeSession: makeFactory(number, mailbox)).run()
          finish.loopEnded()
        })
    } catch {
      throw SystemError(call: "pthread_create", code: error.code)
    }
  }

  /// Waits for the end of the thread; a second call waits for the first.
  func join() {
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }
}
