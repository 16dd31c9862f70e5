import Base
package import HTTP1
package import Network

/// The limits and handlers of a service.
package struct ServiceBehaviour: Sendable {
  package var limits = HTTPLimits()
  /// Whether the connection ends after the answer.
  package var isOneToAConnection = false
  /// Called on the thread of the service: it must not block.
  package let handle: @Sendable (ServiceRequest) -> ServiceReply
  /// The answer to a message that is not a request.
  package var refusal: @Sendable (HTTPError) -> ServiceAnswer = { error in
    .error(error.status, error.status == 413 ? "body_too_large" : "bad_request", error.reason)
  }

  package init(handle: @escaping @Sendable (ServiceRequest) -> ServiceReply) { self.handle = handle }

  var tooSlow: ServiceAnswer { .error(408, "timeout", "the request did not arrive in time") }
  var noStream: ServiceAnswer { .error(400, "no_stream", "a stream of events needs GET over HTTP/1.1") }
}

/// A small HTTP server on one thread, embedded in a program that is not a server: for the figures of a run, or its control
/// room.
package final class HTTPService: Sendable {
  private let loops: LoopGroup<ServiceSession>

  /// Listens on an address such as `127.0.0.1:9464`; port 0 lets the kernel choose.
  package init(
    listen: String, connectionsMax: Int = .max, _ behaviour: ServiceBehaviour
  ) throws(NetworkError) {
    var configuration = NetworkConfiguration()
    configuration.connectionsMax = connectionsMax
    loops = try LoopGroup(configuration, on: ListenAddress(parsing: listen)) { _, mailbox in
      { accepted in
        let token = accepted.token
        return ServiceSession(behaviour, isLocal: accepted.peer.isLoopback) { mailbox.post($0, to: token) }
      }
    }
  }

  package var address: SocketAddress { loops.address }

  /// Completes the requests in progress, for at most a second.
  package func stop() {
    loops.drain(within: .seconds(1))
    loops.wait()
  }
}
