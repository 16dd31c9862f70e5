import Base
import COpenSSL
import IngestServer
import Support
import Testing

@testable import Network
@testable import TLS

/// What a rule of `PUT /admin/v1/faults` does to handshakes, as clients see it that check certificates.
@Suite(.timeLimit(.minutes(10))) struct HandshakeFaultTests {
  private let folder: TemporaryFolder
  private let server: SecureServer

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    server = try SecureServer(TLSSettings(.development(names: ["*.phones.test"]))) { $0.data = folder.file("data") }
  }

  private func wishes(for host: String = "localhost") -> TestClient.Wishes {
    var wishes = TestClient.Wishes(authority: folder.file("data/tls/authority.pem"))
    (wishes.host, wishes.asksForHost) = (host, true)
    return wishes
  }

  /// Takes the place of the rules that stand.
  private func put(_ fault: String, match: String = "{}") throws {
    let answer = try server.put("/admin/v1/faults", #"{"faults":[{"id":"f","fault":\#(fault),"match":\#(match)}]}"#)
    #expect(answer.contains("200 OK"), "\(answer)")
  }

  /// What OpenSSL's own check says of the certificate; nil when the handshake is done.
  private func problem(_ wishes: TestClient.Wishes) throws -> Int? {
    do throws(TestClient.Failure) { _ = try TestClient(port: server.port, wishes) } catch { return error.verifyResult }
    return nil
  }

  /// Each has one thing wrong, and nothing else (X509_STORE_CTX_get_error(3)).
  @Test(arguments: [
    ("expired", X509_V_ERR_CERT_HAS_EXPIRED), ("notYetValid", X509_V_ERR_CERT_NOT_YET_VALID),
    ("wrongHost", X509_V_ERR_HOSTNAME_MISMATCH),
    ("unknownAuthority", X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
  ])
  func aCertificateHasThatFaultAlone(problem name: String, code: Int32) throws {
    try put(#"{"kind":"certificate","problem":"\#(name)"}"#)
    for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
      var wishes = wishes()
      wishes.version = version
      #expect(try problem(wishes) == Int(code))
    }
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="refused_by_client"}"#) == 2)
    #expect(try server.metric(#"rollingroad_faults_total{kind="certificate"}"#) == 2)
    try server.put("/admin/v1/faults", #"{"faults":[]}"#)
    #expect(try problem(wishes()) == nil)
  }

  @Test func aChangedCertificateIsGoodAndHasAnotherKey() throws {
    let first = try TestClient(port: server.port, wishes())
    try put(#"{"kind":"certificate","problem":"changed"}"#)
    let changed = try (0..<2).map { _ in try TestClient(port: server.port, wishes()).serverKey }
    #expect(changed[0] != first.serverKey && changed[0] == changed[1])
    #expect(try first.get("/healthz").contains("200 OK"), "what is connected stays so")
  }

  /// A session that is resumed shows no certificate (RFC 8446 §2.2).
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func noTicketGetsAroundAFault(version: Int32) throws {
    var wishes = wishes()
    wishes.version = version
    let first = try TestClient(port: server.port, wishes)
    _ = try first.get("/healthz")
    wishes.session = first.session
    try put(#"{"kind":"certificate","problem":"changed"}"#)
    let second = try TestClient(port: server.port, wishes)
    #expect(try second.get("/healthz").contains("200 OK") && !second.isResumed)
    try server.put("/admin/v1/faults", #"{"faults":[]}"#)
    wishes.session = second.session
    #expect(try !TestClient(port: server.port, wishes).isResumed, "the faulty one gives no ticket")
    wishes.session = first.session
    #expect(try TestClient(port: server.port, wishes).isResumed)
  }

  /// RFC 6066 §8; OpenSSL's own client reads the answer.
  @Test func aRevocationIsSaidToThoseWhoAsk() throws {
    try put(#"{"kind":"certificate","problem":"revoked"}"#)
    #expect(try problem(wishes()) == nil, "a client that does not ask cannot know")
    let client = try ChildProcess([
      "sh", "-c",
      "openssl s_client -connect 127.0.0.1:\(server.port) -servername localhost -status </dev/null >\(folder.file("said"))",
    ])
    #expect(client.exitCode() == 0)
    let said = String(decoding: try folder.read("said"), as: UTF8.self)
    #expect(said.contains("OCSP Response Status: successful") && said.contains("Cert Status: revoked"), "\(said)")
    let answer = try #require(
      said.firstRange(of: "OCSP Response Data").flatMap { said[$0.lowerBound...].firstRange(of: "======") })
    #expect(said[..<answer.lowerBound].contains("Certificate:"), "the answer has the certificate of its signer")
    // Clients have the authority only, and check who has signed (RFC 6960 §4.2.2.2).
    let curl = try ChildProcess([
      "sh", "-c",
      "curl -sS --cert-status --cacert \(folder.file("data/tls/authority.pem")) --connect-to localhost:443:127.0.0.1:\(server.port) https://localhost/healthz >\(folder.file("curl")) 2>&1",
    ])
    #expect(curl.exitCode() == 91)
    let words = String(decoding: try folder.read("curl"), as: UTF8.self)
    #expect(words.contains("revocation") || words.contains("revoked"), "\(words)")
  }

  /// What is wrong is the server's certificate, and not that of the client, which is asked for as without the fault.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func aClientShowsItsCertificateAllTheSame(version: Int32) throws {
    let (certificates, folder) = (try TestCertificates(), try TemporaryFolder())
    var settings = TLSSettings(.development(names: []))
    (settings.clientAuthorities, settings.certificatesFor) = (certificates.authority, .uploads)
    let server = try SecureServer(settings) { $0.data = folder.file("data") }
    var wishes = TestClient.Wishes(authority: folder.file("data/tls/authority.pem"))
    (wishes.version, wishes.certificate) = (version, try certificates.issue("phone"))
    for problem in ["changed", "revoked"] {
      let rule = #"{"id":"f","fault":{"kind":"certificate","problem":"\#(problem)"}}"#
      try server.put("/admin/v1/faults", #"{"faults":[\#(rule)]}"#)
      let client = try TestClient(port: server.port, wishes)
      try client.send("POST /locations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
      #expect(try client.receive(until: "}").contains("200 OK"), "\(problem)")
      let names = try ChildProcess([
        "sh", "-c",
        "openssl s_client -connect 127.0.0.1:\(server.port) </dev/null 2>&1 | grep -A1 '^Acceptable' >\(folder.file("said"))",
      ])
      #expect(names.exitCode() == 0)
      #expect(String(decoding: try folder.read("said"), as: UTF8.self).contains("test authority"), "\(problem)")
    }
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="client_certificate"}"#) ?? 0 == 0)
  }

  @Test func aCutHandshakeIsReset() throws {
    try put(#"{"kind":"cutHandshake"}"#)
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(wishes())
    #expect(!client.handshake())
    try raw.send(client.takeOutput())
    #expect(try raw.receiveToEnd().ending == .reset)
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="fault"}"#) == 1)
  }

  @Test func aRuleIsForTheHostThatIsAskedFor() throws {
    let fault = #"{"kind":"certificate","problem":"expired"}"#
    try put(fault, match: #"{"host":"PHONE-1.phones.test"}"#)
    #expect(try problem(wishes(for: "phone-1.phones.test")) == Int(X509_V_ERR_CERT_HAS_EXPIRED))
    #expect(try problem(wishes(for: "phone-2.phones.test")) == nil && problem(wishes()) == nil)
    try put(fault, match: #"{"host":"*.phones.test","count":1}"#)
    #expect(try problem(wishes()) == nil)
    #expect(try problem(wishes(for: "phone-2.phones.test")) == Int(X509_V_ERR_CERT_HAS_EXPIRED))
    #expect(try problem(wishes(for: "phone-2.phones.test")) == nil, "once is once")
    var silent = wishes(for: "phone-2.phones.test")
    silent.asksForHost = false
    try put(fault, match: #"{"host":"*.test"}"#)
    #expect(try problem(silent) == nil, "a client that asks for no host is none of these")
  }

  @Test func aRuleIsForAnAddress() throws {
    let fault = #"{"kind":"certificate","problem":"expired"}"#
    try put(fault, match: #"{"address":"127.0.0.2"}"#)
    #expect(try problem(wishes()) == nil)
    try put(fault, match: #"{"address":"127.0.0.1"}"#)
    #expect(try problem(wishes()) == Int(X509_V_ERR_CERT_HAS_EXPIRED))
  }

  @Test func withACertificateFromFilesOnlySomeFaultsCanBe() throws {
    let certificates = try TestCertificates()
    let server = try SecureServer(certificates.issue("server"))
    func put(_ fault: String) throws -> String {
      try server.put("/admin/v1/faults", #"{"faults":[{"id":"f","fault":\#(fault)}]}"#)
    }
    for fault in CertificateFault.allCases where fault != .unknownAuthority {
      let answer = try put(#"{"kind":"certificate","problem":"\#(fault.rawValue)"}"#)
      #expect(answer.contains("400 Bad Request") && answer.contains("--tls development"), "\(answer)")
    }
    #expect(try put(#"{"kind":"cutHandshake"}"#).contains("200 OK"))
    #expect(try put(#"{"kind":"certificate","problem":"unknownAuthority"}"#).contains("200 OK"))
    let wishes = TestClient.Wishes(authority: certificates.authority)
    let failure = #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port, wishes) }
    #expect(failure?.verifyResult == Int(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY))
  }
}

/// Handshakes that a fault makes wait, in the loop alone.
@Suite(.timeLimit(.minutes(10))) struct SlowHandshakeTests {
  /// Says for how long the next ones wait.
  private final class Waits: HandshakeFaultSource {
    let time: Nanoseconds
    init(_ time: Nanoseconds) { self.time = time }
    var hasHandshakeFaults: Bool { true }
    func fault(host: String?, from peer: SocketAddress) -> HandshakeFault? { host == "slow" ? .slow(time) : nil }
  }

  private func wishes(_ server: EchoServer) -> TestClient.Wishes {
    var wishes = server.trusting
    (wishes.host, wishes.asksForHost) = ("slow", true)
    return wishes
  }

  /// The time for handshakes, which is over long before, begins anew behind the wait.
  @Test func whatHasWaitedGoesOn() throws {
    let server = try EchoServer(applying: Waits(.seconds(3))) { $0.times.handshake = .seconds(2) }
    var wishes = wishes(server)
    wishes.authority = nil
    #expect(try server.talk(TestClient(port: server.port, wishes)))
    #expect(server.total.handshakes == 1)
  }

  @Test func othersAreServedMeanwhile() throws {
    let server = try EchoServer(applying: Waits(.seconds(3_600))) { $0.handshakesMax = 1 }
    let known = try server.connect()
    #expect(try server.talk(known))
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(wishes(server))
    #expect(!client.handshake())
    try raw.send(client.takeOutput())
    try server.makeHandshakes(beside: known)
    for _ in 0..<3 { #expect(try server.talk(server.connect())) }
    #expect(server.total.handshakes == 4 && server.total.handshakesFailed(.crowded) == 0)
    server.group.drain(within: .seconds(60))
    #expect(try raw.receiveToEnd().text == "")
    server.group.wait()
    #expect(server.total.open == 0)
  }

  @Test func aClientThatGoesMeanwhileIsForgotten() throws {
    let server = try EchoServer(applying: Waits(.seconds(3_600)))
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(wishes(server))
    #expect(!client.handshake())
    try raw.send(client.takeOutput())
    #expect(try server.talk(server.connect()))
    raw.reset()
    // What is reported in order has been seen when this has an answer.
    #expect(try server.talk(server.connect()))
    #expect(server.total.handshakesFailed(.cut) == 1 && server.total.open < 3)
  }
}
