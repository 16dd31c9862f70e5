import Base
import Contract
import CurlTransport
public import FoundationEssentials
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
