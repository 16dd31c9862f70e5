import Base
package import CurlTransport
import Upload

/// Takes the requests of a run's devices to a server outside the run, which answers in its own time.
package final class Carrier {
  private let transport: CurlTransport
  private let mailbox: CompletionMailbox
  private var landed: [TransportCompletion] = []
  /// How many it has taken so far.
  private(set) var requests = 0
  /// Of those, how many have not ended.
  private(set) var inFlight = 0

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    let mailbox = try CompletionMailbox()
    self.mailbox = mailbox
    transport = try CurlTransport(configuration) { mailbox.post($0) }
  }

  deinit { transport.stop() }

  func send(_ request: OutgoingRequest, of device: Int) {
    requests += 1
    inFlight += 1
    transport.submit(request, device: device)
  }

  func cancel(_ request: UInt64, of device: Int) { transport.cancel(request, device: device) }

  /// What has ended since the last call.
  func collect() -> [TransportCompletion] {
    mailbox.collect(into: &landed)
    inFlight -= landed.count
    return landed
  }

  /// Until something ends, somebody calls, or that instant of the machine's clock; nil: for ever.
  func wait(until deadline: MonotonicInstant?) { mailbox.wait(until: deadline) }

  /// Ends a wait, from any thread.
  var alarm: @Sendable () -> Void {
    { [mailbox] in mailbox.wake() }
  }
}
