import Base
import Contract
import CurlTransport
public import FoundationEssentials
import Synchronization
import Upload

/// How the requests of a device reach their servers.
public struct HTTPTransport: Sendable {
  /// A request as it is to be sent.
  public struct Request: Sendable {
    /// `GET`, `POST` and so on.
    public let method: String
    /// Complete, as it is configured.
    public let url: String
    /// In the order in which they are sent; without Host and Content-Length.
    public let headers: [(name: String, value: String)]
    /// Empty when there is none.
    public let body: [UInt8]
    /// Seconds for the whole exchange.
    public let timeout: TimeInterval
  }

  /// How it ended.
  public enum Outcome: Sendable {
    /// A complete answer of any status. Redirects are not followed.
    case answered(status: Int, body: [UInt8])
    /// No complete answer; the text says why.
    case failed(String)
  }

  typealias Send = @Sendable (OutgoingRequest, @escaping @Sendable (RequestOutcome) -> Void) -> Void

  let send: Send

  init(send: @escaping Send) { self.send = send }

  /// A transport of the program's own, for tests of an app. `perform` must not wait for the network; it calls its
  /// second argument once, from any thread, when the exchange has ended.
  public init(_ perform: @escaping @Sendable (Request, @escaping @Sendable (Outcome) -> Void) -> Void) {
    send = { request, completion in
      perform(Request(request)) { completion(RequestOutcome($0)) }
    }
  }

  /// The network of the machine: HTTP/1.1, https with the roots of the system, or with those in a file of certificates in
  /// PEM form; through a proxy, such as `http://proxy:3128`, if there is one. Each platform should have one of its own, as
  /// each phone has its own connections.
  public static func network(certificateAuthorities: String? = nil, proxy: String? = nil) -> HTTPTransport {
    let sender = CurlSender { configuration in
      configuration.certificateAuthorities = certificateAuthorities
      configuration.proxy = proxy
    }
    return HTTPTransport(send: { sender.send($0, $1) })
  }

  /// Every request fails, as without a network.
  public static let none = HTTPTransport { _, completion in completion(.failed("there is no transport")) }
}

extension HTTPTransport.Request {
  init(_ request: OutgoingRequest) {
    method = request.method
    url = request.url
    headers = request.headers.map { ($0.name, $0.value) }
    body = request.body
    timeout = request.timeout.seconds
  }
}

extension RequestOutcome {
  init(_ outcome: HTTPTransport.Outcome) {
    switch outcome {
    case .answered(let status, let body): self = .answered(status: status, reason: "", body: body)
    case .failed(let text): self = .failed(.unreachable, message: text)
    }
  }
}

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
