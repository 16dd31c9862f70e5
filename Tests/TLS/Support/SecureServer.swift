import IngestServer
import ServerSupport
import Support
import Synchronization

@testable import TLS

/// A server with TLS on a port of its own, without data on disk.
final class SecureServer {
  let server: IngestServer
  let notices: Notices
  var port: UInt16 { server.securePort ?? 0 }

  final class Notices: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ notice: ServerNotice) { list.withLock { $0.append(notice.message) } }
    var all: [String] { list.withLock { $0 } }
  }

  init(_ settings: TLSSettings, _ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration.loopback(loops: 1)
    configuration.tls = settings
    configuration.tls?.listen = "127.0.0.1:0"
    adjust(&configuration)
    let notices = Notices()
    self.notices = notices
    server = try IngestServer(configuration, notify: { notices.add($0) })
  }

  convenience init(_ files: (certificate: String, key: String)) throws {
    try self.init(TLSSettings(.files(certificate: files.certificate, key: files.key)))
  }

  deinit { server.stop(within: 0) }

  /// The whole answer to a request of administration, on the plain port.
  @discardableResult
  func put(_ path: String, _ body: String) throws -> String {
    let client = try LoopbackClient(port: server.port)
    try client.send(
      "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
    try client.send(body)
    return try client.receiveToEnd().text
  }

  /// A line of `/metrics`.
  func metric(_ name: String) throws -> Int? {
    let client = try LoopbackClient(port: server.port)
    try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let lines = try client.receiveToEnd().text.split(separator: "\n")
    return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1).filter(\.isNumber)) }
  }
}
