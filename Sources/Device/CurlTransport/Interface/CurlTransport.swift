import Synchronization
import Threads
package import Upload

/// Sends the requests of thousands of devices through libcurl, in one thread of its own. All calls may come from any thread.
///
/// A device may have several requests at once; under `.mobile` each of those is then a connection. Redirects are not followed
/// (SDK §9.1), and there are no retries but libcurl's own: on a reused connection that turns out to be dead before the
/// first byte of an answer.
package final class CurlTransport: Sendable {
  private let mailbox: OrderMailbox
  private let thread: NamedThread
  private let isStopped = Mutex(false)

  /// `deliver` is called in the transport's thread with what has ended since the last time; while it runs, nothing is sent.
  package init(
    _ configuration: TransportConfiguration, deliver: @escaping @Sendable ([TransportCompletion]) -> Void
  ) throws(TransportError) {
    let mailbox = try OrderMailbox()
    let start = LoopStart(try TransferLoop(configuration, mailbox, deliver))
    self.mailbox = mailbox
    thread = NamedThread.started("transport") { start.run() }
  }

  deinit { stop() }

  /// The pair of device and id must be unique among the requests in flight. Devices are numbered from 0.
  package func submit(_ request: OutgoingRequest, device: Int) {
    precondition(device >= 0, "devices are numbered from 0")
    mailbox.post(.submit(request, device: device))
  }

  /// The request ends as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) { mailbox.post(.cancel(id, device: device)) }

  /// Ends all requests as `.cancelled`, closes all connections, and returns when the last completion was delivered. What is
  /// submitted later is never sent and has no completion. From `deliver` it returns at once, and the thread ends behind it:
  /// whoever owns the transport may be given up by the very answer that it brought.
  package func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    mailbox.post(.stop)
    // A thread cannot wait for itself.
    if thread.isCurrent { thread.detach() } else { thread.join() }
  }
}
