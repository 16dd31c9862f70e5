package import Base
package import Upload

/// Sends like `CurlTransport`, in the thread of its owner: between two turns nothing is sent and nothing arrives. For an
/// owner with a loop of its own this spares handing each request to another thread and each answer back.
package final class DrivenTransport {
  private let mailbox: OrderMailbox
  private let loop: TransferLoop

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    mailbox = try OrderMailbox()
    loop = try TransferLoop(configuration, mailbox) { _ in }
    TransferLoop.blockBrokenPipes()
  }

  deinit { loop.finish() }

  /// Sent with the next turn. The pair of device and id must be unique among the requests in flight. Devices are numbered
  /// from 0.
  package func submit(_ request: OutgoingRequest, device: Int) {
    precondition(device >= 0, "devices are numbered from 0")
    loop.begin(request, device: device)
  }

  /// The request ends as `.cancelled`, unless it has ended already.
  package func cancel(_ id: UInt64, device: Int) {
    loop.cancel(TransferLoop.RequestKey(device: device, id: id))
  }

  /// The device's network is another one: connections that it does not use are closed, as they belonged to the old one.
  package func changeNetwork(of device: Int) { loop.endUnusedConnections(of: device) }

  /// Sends and receives; returns at that instant, or earlier when a request has ended, a connection has something to say
  /// or somebody calls. Nil: without end.
  package func turn(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    _ = loop.turn(until: deadline)
    return loop.takeCompletions()
  }

  /// Ends a turn, from any thread.
  package var alarm: @Sendable () -> Void {
    { [mailbox] in mailbox.wake() }
  }
}
