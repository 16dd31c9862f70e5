import Base
import Contract
import CurlTransport
public import FoundationEssentials
import Synchronization
import Upload

/// The transport of a device's requests.
public struct HTTPTransport: Sendable {
  /// A request to send.
  public struct Request: Sendable {
    /// `GET`, `POST` and so on.
    public let method: String
    /// The complete URL, as configured.
    public let url: String
    /// The fields in the order in which they are sent, without Host and Content-Length.
    public let headers: [(name: String, value: String)]
    /// Empty when there is none.
    public let body: [UInt8]
    /// The timeout of the whole exchange, in seconds.
    public let timeout: TimeInterval
  }

  /// The result of a request.
  public enum Outcome: Sendable {
    /// A complete answer of any status. Redirects are not followed.
    case answered(status: Int, body: [UInt8])
    /// No complete answer, with the reason.
    case failed(String)
  }

  typealias Send = @Sendable (OutgoingRequest, @escaping @Sendable (RequestOutcome) -> Void) -> Void

  let send: Send

  init(send: @escaping Send) { self.send = send }

  /// Creates a custom transport, for tests of an app. `perform` must not block on the network; it calls its second
  /// argument once, from any thread, when the exchange has ended.
  public init(_ perform: @escaping @Sendable (Request, @escaping @Sendable (Outcome) -> Void) -> Void) {
    send = { request, completion in
      perform(Request(request)) { completion(RequestOutcome($0)) }
    }
  }

  /// The system's network: HTTP/1.1, https with the system's root certificates or with those of a PEM file; optionally through a
  /// proxy, such as `http://proxy:3128`. Each platform should have its own transport, as each phone has its own connections.
  public static func network(certificateAuthorities: String? = nil, proxy: String? = nil) -> HTTPTransport {
    let sender = CurlSender { configuration in
      configuration.certificateAuthorities = certificateAuthorities
      configuration.proxy = proxy
    }
    return HTTPTransport(send: { sender.send($0, $1) })
  }

  /// A transport whose requests all fail, as without a network.
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

/// A transport over libcurl. Its thread starts with the first request and ends with this value.
final class CurlSender: Sendable {
  typealias Completion = @Sendable (RequestOutcome) -> Void

  /// The pending requests. They are numbered here, because the numbers of a device and of its registration may be equal.
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
      for ended in completions { take(ended.id)?(ended.outcome) }
    }

    func take(_ id: UInt64) -> Completion? { state.withLock { $0.completions.removeValue(forKey: id) } }
  }

  private let waiting = Waiting()
  private let transport: Mutex<CurlTransport?> = Mutex(nil)
  private let configure: @Sendable (inout TransportConfiguration) -> Void

  init(_ configure: @escaping @Sendable (inout TransportConfiguration) -> Void) { self.configure = configure }

  /// The last answer may release the device, and then this runs in the transport's thread, which cannot wait for its own end.
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
    } catch { waiting.take(id)?(.failed(.unreachable, message: "\(error)")) }
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
