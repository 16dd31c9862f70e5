import IngestServer
import JSON
import ServerSupport
import Support

/// Our own server over a socket, in memory.
final class LocalServer {
  private let server: IngestServer

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration.loopback(loops: 1)
    configure(&configuration)
    server = try IngestServer(configuration)
  }

  /// Devices may keep their connections longer than the test needs its server.
  deinit { server.stop(within: 0) }

  var url: String { server.url }

  @discardableResult
  func ask(_ method: String, _ path: String, _ body: String = "") throws -> JSONValue {
    let client = try LoopbackClient(port: server.port)
    try client.send(
      Array(
        """
        \(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
        Content-Length: \(body.utf8.count)\r\n\r\n\(body)
        """.utf8))
    let text = try client.receiveToEnd().0
    guard let end = text.firstRange(of: "\r\n\r\n") else { throw Refused(answer: text) }
    guard text.hasPrefix("HTTP/1.1 2") else { throw Refused(answer: text) }
    return try JSONValue(parsing: String(text[end.upperBound...]).utf8.span)
  }

  /// Blocks until so many records are stored.
  func await(count: Int) throws { try ask("POST", "/admin/v1/await", #"{"count":\#(count)}"#) }

  func records(of device: String) throws -> [JSONValue] {
    let answer = try ask("GET", "/admin/v1/devices/\(device)/locations?limit=1000")
    guard case .array(let records)? = answer["locations"] else { return [] }
    return records
  }

  struct Refused: Error {
    let answer: String
  }
}
