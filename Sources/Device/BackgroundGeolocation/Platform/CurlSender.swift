import CurlTransport
import Synchronization
import Upload

/// The network of the machine. The transport's thread begins with the first request and ends with this value.
final class CurlSender: Sendable {
  typealias Completion = @Sendable (RequestOutcome) -> Void

  /// Who waits for which request. Numbers are our own: those of a device and of its registration may be the same.
  private final class Waiting: Sendable {
    private let state = Mutex<(completions: [UInt64: Completion], next: UInt64)>(([:], 1))

    func add(_ completion: @escaping Completion) -> UInt64 {
      state.withLock { state in
        defer { state.next += 1 }
        state.completions[state.next] = completion
        return state.next
      }
    }

    func end(_ completions: [TransportCompletion]) {
      for ended in completions {
        state.withLock { $0.completions.removeValue(forKey: ended.id) }?(ended.outcome)
      }
    }
  }

  private let waiting = Waiting()
  private let transport: Mutex<CurlTransport?> = Mutex(nil)
  private let configure: @Sendable (inout TransportConfiguration) -> Void

  init(_ configure: @escaping @Sendable (inout TransportConfiguration) -> Void) { self.configure = configure }

  /// The last answer may be what lets go of the device, and then this runs in the transport's thread, which cannot wait
  /// for its own end.
  deinit {
    let last = transport.withLock { $0 }
    if let last { Task.detached { last.stop() } }
  }

  func send(_ request: OutgoingRequest, _ completion: @escaping Completion) {
    let id = waiting.add(completion)
    do throws(TransportError) {
      let numbered = OutgoingRequest(
        id: id, purpose: request.purpose, method: request.method, url: request.url, headers: request.headers,
        body: request.body, timeout: request.timeout)
      try started().submit(numbered, device: 0)
    } catch { completion(.failed(.unreachable, message: "\(error)")) }
  }

  private func started() throws(TransportError) -> CurlTransport {
    try transport.withLock { (transport) throws(TransportError) in
      if let transport { return transport }
      var configuration = TransportConfiguration()
      configure(&configuration)
      let new = try CurlTransport(configuration) { [waiting] in waiting.end($0) }
      transport = new
      return new
    }
  }
}
