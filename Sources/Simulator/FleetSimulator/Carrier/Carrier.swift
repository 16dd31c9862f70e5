import Base
package import CurlTransport
import Upload

/// Takes the requests of a run's devices to a server outside the run, which answers in its own time.
package final class Carrier {
  private let transport: DrivenTransport
  /// How many it has taken so far.
  private(set) var requests = 0
  /// Of those, how many have not ended.
  private(set) var inFlight = 0

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    transport = try DrivenTransport(configuration)
  }

  func send(_ request: OutgoingRequest, of device: Int) {
    requests += 1
    inFlight += 1
    transport.submit(request, device: device)
  }

  func cancel(_ request: UInt64, of device: Int) { transport.cancel(request, device: device) }

  /// Connections belong to a network, and end with it.
  func changeNetwork(of device: Int) { transport.changeNetwork(of: device) }

  /// Sends and receives until something has ended, somebody calls, or that instant of the machine's clock has come; nil: for
  /// ever. Gives what has ended.
  func work(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    let landed = transport.turn(until: deadline)
    inFlight -= landed.count
    return landed
  }

  /// Sends, and waits for the end of just that; nothing else may be under way.
  func ask(_ request: OutgoingRequest, of device: Int) -> TransportCompletion {
    precondition(inFlight == 0, "one request at a time")
    send(request, of: device)
    while true {
      if let end = work(until: nil).first { return end }
    }
  }

  /// Ends a wait, from any thread.
  var alarm: @Sendable () -> Void { transport.alarm }
}
