import AnswerCheck
internal import Base
import Contract
import CurlTransport
import FleetSimulator
import Network
import Upload

/// One request to a server and its answer, limited to some seconds.
struct HTTPCall {
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  /// The reason why there is no answer, as a sentence.
  struct Failure: Error {
    let message: String
  }

  private static let timeoutSeconds: Int64 = 5

  let url: ServerURL
  let transport: TransportConfiguration

  init(url: ServerURL, _ values: FlagValues) { (self.url, transport) = (url, TransportConfiguration(values)) }

  func get(_ path: String) throws(Failure) -> Answer { try ask(path, by: "GET") }

  func post(_ path: String, json: [UInt8]) throws(Failure) -> Answer {
    try ask(path, by: "POST", [NameValuePair(HeaderName.contentType, ContentType.json)], json)
  }

  private func ask(
    _ path: String, by method: String, _ headers: [NameValuePair] = [], _ body: [UInt8] = []
  ) throws(Failure) -> Answer {
    let client: BlockingHTTPClient
    do throws(TransportError) { client = try BlockingHTTPClient(transport) } catch {
      throw Failure(message: "\(error)")
    }
    let outcome = client.ask("\(url)\(path)", by: method, headers: headers, body: body, seconds: Self.timeoutSeconds)
    if let problem = outcome.wantedConnection { throw Failure(message: "no answer from \(url): \(problem)") }
    switch outcome {
    case .answered(let status, reason: _, let body): return Answer(status: status, body: body)
    case .failed(.refused, let message), .failed(.unreachable, let message):
      throw Failure(message: "cannot connect to \(url): \(message)")
    case .failed(_, let message): throw Failure(message: "no answer from \(url): \(message)")
    }
  }
}

/// `http://HOST[:PORT]` of a running server, whose host is an IP address or `localhost`, or `https://` with any host.
struct ServerURL: Equatable, CustomStringConvertible {
  private let origin: String

  init?(_ text: String) {
    if text.hasPrefix("https://") {
      // The host must match the certificate; libcurl validates its form.
      let place = text.dropFirst(8).prefix { $0 != "/" }
      guard !place.isEmpty, place.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "@") }),
        ["", "/"].contains(text.dropFirst(8 + place.count))
      else { return nil }
      origin = "https://\(place)"
      return
    }
    guard text.hasPrefix("http://") else { return nil }
    let address: SocketAddress
    var place = text.dropFirst(7)
    if place.hasSuffix("/") { place.removeLast() }
    if place.isEmpty { return nil }
    do {
      let isComplete = try HostAndPort(place).port != nil
      address = try ListenAddress(parsing: isComplete ? String(place) : place + ":80").address
    } catch { return nil }
    if address.port == 0 { return nil }
    origin = "http://\(address)"
  }

  /// The URL of a server with this `--listen` from its own machine; nil when only the kernel knows the port.
  init?(listening text: String) throws(UsageError) {
    let listen: ListenAddress
    do throws(NetworkError) { listen = try ListenAddress(parsing: text) } catch { throw UsageError(error.description) }
    guard listen.address.port != 0 else { return nil }
    let host: SocketAddress.Host =
      switch listen.address.host {
      case .v4(0): .v4(0x7F00_0001)
      case .v6(0, 0): listen.takesBothFamilies ? .v4(0x7F00_0001) : .v6(high: 0, low: 1)
      default: listen.address.host
      }
    origin = "http://\(SocketAddress(host: host, port: listen.address.port))"
  }

  var description: String { origin }
}
