import Base
import Support
import Testing

@testable import CurlTransport

/// A connection over which its owner decides byte by byte, plain and with TLS.
@Suite(.timeLimit(.minutes(10))) struct ByteConnectionTests {
  private static let request = Array("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

  private func connect(
    _ url: String, _ configuration: TransportConfiguration = TransportConfiguration()
  ) throws -> ByteConnection {
    try ByteConnection(to: url, configuration, within: .seconds(20))
  }

  private var soon: MonotonicInstant { SystemClock().monotonicNow + .seconds(60) }
  private var now: MonotonicInstant { SystemClock().monotonicNow }

  /// All that comes until the peer has ended.
  private func all(_ connection: ByteConnection) -> (text: String, end: ByteConnection.Arrival) {
    var bytes: [UInt8] = []
    while true {
      let arrival = connection.receive(by: soon)
      guard case .bytes(let piece) = arrival else { return (String(decoding: bytes, as: UTF8.self), arrival) }
      bytes += piece
    }
  }

  @Test func bytesGoWhenTheyAreSent() throws {
    let server = try BareServer { request in .close(Array(request.lines[0].utf8)) }
    let connection = try connect(server.url)
    for byte in Self.request.dropLast() { #expect(connection.send([byte], by: soon)) }
    #expect(connection.receive(by: now) == .timeout)
    #expect(server.requests.isEmpty)
    #expect(connection.send([Self.request[Self.request.count - 1]], by: soon))
    #expect(all(connection) == ("GET /a HTTP/1.1", .end))
  }

  @Test func aConnectionThatIsBrokenOffIsTold() throws {
    let server = try BareServer { _ in .reset([]) }
    let connection = try connect(server.url)
    #expect(connection.send(Self.request, by: soon))
    #expect(connection.receive(by: soon) == .reset)
  }

  /// The server sees the end of the input, and answers what was asked before.
  @Test func theOutputEndsAlone() async throws {
    let server = try BareServer { _ in .silence }
    let connection = try connect(server.url)
    #expect(connection.send(Self.request, by: soon))
    await server.comesTrue { $0.requests.count == 1 }
    connection.endOutput()
    await server.comesTrue { $0.ended == 1 }
    #expect(connection.receive(by: soon) == .end)
  }

  @Test func whereNobodyListensThereIsNone() throws {
    #expect(throws: ByteConnection.Failure.self) { try connect("http://127.0.0.1:1/") }
  }

  private func secure(_ server: SecureServer) throws -> ByteConnection {
    var configuration = TransportConfiguration()
    configuration.certificateAuthorities = server.certificate
    return try connect("https://localhost:\(server.port)/", configuration)
  }

  @Test func bytesGoThroughTLS() throws {
    let server = try SecureServer()
    let connection = try secure(server)
    for byte in Self.request { #expect(connection.send([byte], by: soon)) }
    let answer = all(connection)
    #expect(answer.text.hasPrefix("HTTP/1.0 200") && answer.end == .end, "\(answer)")
  }

  /// The word of TLS for the end goes first: the peer would take a bare end for an attack.
  @Test func theOutputEndsAloneUnderTLS() throws {
    let server = try SecureServer()
    let connection = try secure(server)
    connection.endOutput()
    #expect(all(connection).end == .end)
    // It still serves others, also behind one that was broken off.
    let broken = try secure(server)
    #expect(broken.send(Array(Self.request.prefix(9)), by: soon))
    broken.resetAtTheEnd()
  }

  @Test func aCertificateOfNoKnownAuthorityIsRefused() throws {
    let server = try SecureServer()
    var configuration = TransportConfiguration()
    configuration.trustSetting = "--ca FILE"
    let failure = #expect(throws: ByteConnection.Failure.self) {
      try connect("https://localhost:\(server.port)/", configuration)
    }
    #expect(failure?.description.hasSuffix("name the authority that signed it with --ca FILE") == true)
    configuration.checksServer = false
    let connection = try connect("https://localhost:\(server.port)/", configuration)
    #expect(connection.send(Self.request, by: soon))
    #expect(all(connection).text.hasPrefix("HTTP/1.0 200"))
  }
}
