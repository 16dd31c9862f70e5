import COpenSSL
import IngestServer
import Support
import Testing

@testable import TLS

@Suite(.timeLimit(.minutes(10))) struct SecureServingTests {
  private let certificates: TestCertificates
  private let server: SecureServer

  init() throws {
    certificates = try TestCertificates()
    server = try SecureServer(certificates.issue("server"))
  }

  private var trusting: TestClient.Wishes { TestClient.Wishes(authority: certificates.authority) }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func bothVersionsAreSpoken(version: Int32) throws {
    var wishes = trusting
    wishes.version = version
    let client = try TestClient(port: server.port, wishes)
    #expect(client.version == version)
    #expect(try client.get("/healthz").contains("200 OK"))
    #expect(try client.get("/healthz").contains(#""status":"ok""#), "the connection is kept")
  }

  @Test func olderVersionsAreRefused() throws {
    var wishes = trusting
    wishes.version = TLS1_1_VERSION
    #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port, wishes) }
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="unsupported"}"#) == 1)
  }

  /// More than a record, more than the server reads or keeps unsent at once.
  @Test func longBodiesAndLongAnswersPass() throws {
    let client = try TestClient(port: server.port, trusting)
    let body = String(repeating: " ", count: 400_000) + "[]"
    try client.send("POST /locations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
    try client.send("Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(try client.receive(until: "}").contains("HTTP/1.1"))
    try client.send("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    var answer = ""
    while case let piece = try client.receive(), !piece.isEmpty { answer += piece }
    #expect(answer.contains("200 OK") && answer.count > 100_000 && answer.hasSuffix("}\n"))
  }

  /// All in one record: what does not fit the first read is in no socket any more.
  @Test func pipelinedRequestsAreAllAnswered() throws {
    let client = try TestClient(port: server.port, trusting)
    let count = 300
    try client.send(String(repeating: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", count: count))
    var answers = ""
    while answers.split(separator: "200 OK", omittingEmptySubsequences: false).count <= count || !answers.hasSuffix("}")
    {
      answers += try client.receive()
    }
    #expect(answers.split(separator: "200 OK", omittingEmptySubsequences: false).count == count + 1)
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func aTicketSparesTheNextHandshake(version: Int32) throws {
    var wishes = trusting
    wishes.version = version
    let first = try TestClient(port: server.port, wishes)
    _ = try first.get("/healthz")
    wishes.session = first.session
    let second = try TestClient(port: server.port, wishes)
    #expect(!first.isResumed && second.isResumed)
    #expect(try second.get("/healthz").contains("200 OK"))
    #expect(try server.metric(#"rollingroad_tls_handshakes_total{kind="full"}"#) == 1)
    #expect(try server.metric(#"rollingroad_tls_handshakes_total{kind="resumed"}"#) == 1)
  }

  @Test func theOldVersionOfHTTPIsAgreedUpon() throws {
    var wishes = trusting
    wishes.protocols = Array("\u{2}h2\u{8}http/1.1".utf8)
    #expect(try TestClient(port: server.port, wishes).chosenProtocol == "http/1.1")
    wishes.protocols = Array("\u{8}http/1.0".utf8)
    #expect(try TestClient(port: server.port, wishes).chosenProtocol == "http/1.0")
    wishes.protocols = Array("\u{2}h2".utf8)
    #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port, wishes) }
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="unsupported"}"#) == 1)
  }

  /// The browser names the page's own origin, which begins with https.
  @Test func thePageMayAdministrate() throws {
    let client = try TestClient(port: server.port, trusting)
    for (origin, status) in [("https://localhost", "200"), ("http://localhost", "403"), ("https://other.test", "403")] {
      try client.send("GET /admin/v1/stats HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\n\r\n")
      #expect(try client.receive(until: "}").hasPrefix("HTTP/1.1 \(status) "))
    }
  }

  /// A proxy or an attacker may cut a connection; the server ends its own with a word.
  @Test func theServersEndIsOneOfTLS() throws {
    let client = try TestClient(port: server.port, trusting)
    try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(try client.receive(until: "}").contains("200 OK"))
    #expect(try client.receive() == "")
  }
}

/// What comes to a port of TLS and is none.
extension SecureServingTests {
  @Test func aRequestInPlainHTTPIsToldSo() throws {
    let client = try LoopbackClient(port: server.port)
    try client.send("POST /locations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{\"a\":[1]}")
    let (text, ending) = try client.receiveToEnd()
    #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("use https:// instead of http://\n") && ending == .closed)
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="plain_http"}"#) == 1)
  }

  @Test(arguments: [
    ("\u{0}\u{1}\u{2}", "not_tls"), ("\u{16}\u{3}\u{1}\u{0}\u{5}hello", "malformed"), ("", "cut"),
    ("\u{16}\u{3}\u{1}\u{2}", "cut"),
  ])
  func garbageEndsTheConnection(bytes: String, cause: String) throws {
    let client = try LoopbackClient(port: server.port)
    try client.send(bytes)
    client.shutdownOutput()
    _ = try client.receiveToEnd()
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="\#(cause)"}"#) == 1)
    #expect(try TestClient(port: server.port, trusting).get("/healthz").contains("200 OK"))
  }

  @Test func garbageBehindTheHandshakeEndsTheConnectionAlone() throws {
    let client = try TestClient(port: server.port, trusting)
    _ = try client.get("/healthz")
    try client.raw.send(String(repeating: "x", count: 100))
    _ = try client.raw.receiveToEnd()
    #expect(try server.metric(#"rollingroad_connections_closed_total{reason="tlsInvalid"}"#) == 1)
    #expect(try TestClient(port: server.port, trusting).get("/healthz").contains("200 OK"))
  }

  /// The answer of the request can not be sent any more.
  @Test func garbageBehindARequestEndsTheConnectionToo() throws {
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(trusting)
    try client.handshake(over: raw)
    try client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try raw.send(client.takeOutput() + [UInt8](repeating: 0x78, count: 35))
    _ = try raw.receiveToEnd()
    #expect(try server.metric(#"rollingroad_connections_closed_total{reason="tlsInvalid"}"#) == 1)
  }

  @Test func aRequestThatIsCutWithinARecordLeavesNothing() throws {
    let client = try TestClient(port: server.port, trusting)
    _ = try client.get("/healthz")
    try client.raw.send([0x17, 3, 3, 4, 0, 1, 2, 3])
    client.raw.shutdownOutput()
    _ = try client.raw.receiveToEnd()
    #expect(try server.metric(#"rollingroad_connections_closed_total{reason="clientClosed"}"#) ?? 0 > 0)
  }
}
