import COpenSSL
import Glibc
import IngestServer
import Support
import Testing

@testable import TLS

/// Certificates by the name that a client asks for (RFC 6066 §3).
@Suite(.timeLimit(.minutes(10))) struct NameTests {
  private let certificates: TestCertificates
  private let settings: TLSSettings

  /// Three pairs: `first`, `second` with two names, and `wild` with an asterisk and a name that `second` has already.
  init() throws {
    let certificates = try TestCertificates()
    let names = [
      ("first", "DNS:first.test,IP:127.0.0.1"), ("second", "DNS:second.test,DNS:also.test"),
      ("wild", "DNS:*.wild.test,DNS:also.test,IP:127.0.0.2"),
    ]
    let pairs = try names.map { name, names in
      let files = try certificates.issue(name, for: names)
      return TLSSettings.KeyPair(certificate: files.certificate, key: files.key)
    }
    (self.certificates, settings) = (certificates, TLSSettings(.files(pairs)))
  }

  /// Nil asks for none.
  private func wishes(_ host: String?, _ version: Int32 = TLS1_3_VERSION) -> TestClient.Wishes {
    var wishes = TestClient.Wishes()
    (wishes.host, wishes.asksForHost, wishes.version) = (host ?? "", host != nil, version)
    return wishes
  }

  /// An address is no name that a client may ask for, and an asterisk stands for one label on the left (RFC 6125 §6.4.3).
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func theFirstCertificateForTheNameIsShown(version: Int32) throws {
    let server = try SecureServer(settings)
    for (host, shown) in [
      (nil, "first"), ("first.test", "first"), ("nowhere.test", "first"), ("second.test", "second"),
      ("SECOND.Test", "second"), ("also.test", "second"), ("a.wild.test", "wild"), ("B.WILD.TEST", "wild"),
      ("wild.test", "first"), ("a.b.wild.test", "first"), ("xsecond.test", "first"), ("second.test.x", "first"),
      ("127.0.0.2", "first"),
    ] {
      let client = try TestClient(port: server.port, wishes(host, version))
      #expect(client.serverName == "/CN=" + shown, "\(host ?? "no name")")
      #expect(try client.get("/healthz").contains("200 OK"))
    }
  }

  /// As clients in use find it, which check the certificate against the name.
  @Test func clientsTrustEachName() throws {
    let server = try SecureServer(settings)
    for (host, code) in [("first.test", Int32(0)), ("second.test", 0), ("x.wild.test", 0), ("nowhere.test", 60)] {
      let curl = try ChildProcess([
        "curl", "-sf", "-o", "/dev/null", "--cacert", certificates.authority, "--noproxy", "*", "--resolve",
        "\(host):\(server.port):127.0.0.1", "https://\(host):\(server.port)/healthz",
      ])
      #expect(curl.exitCode() == code, "\(host)")
    }
  }

  /// The name that was of use is confirmed, any other is not.
  @Test(arguments: [("second.test", true), ("first.test", true), ("nowhere.test", false)])
  func theUseOfANameIsTold(host: String, isTold: Bool) throws {
    let server = try SecureServer(settings)
    let client = try ChildProcess([
      "sh", "-c",
      "openssl s_client -connect 127.0.0.1:\(server.port) -servername \(host) -tlsextdebug </dev/null >\(certificates.folder.file("said")) 2>&1",
    ])
    #expect(client.exitCode() == 0)
    let said = String(decoding: try certificates.folder.read("said"), as: UTF8.self)
    #expect(said.contains(#"TLS server extension "server name""#) == isTold, "\(said)")
  }

  /// Under another name it begins anew, whether that one's certificate is the same or not.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func aSessionIsResumedUnderItsNameOnly(version: Int32) throws {
    let server = try SecureServer(settings)
    for (host, later, isResumed) in [
      ("second.test", "second.test", true), ("second.test", "Second.TEST", true), ("a.wild.test", "a.wild.test", true),
      ("second.test", "also.test", false), ("second.test", "first.test", false), ("first.test", "second.test", false),
      ("second.test", nil, false), (nil, nil, true), (nil, "second.test", false), (nil, "first.test", false),
    ] {
      let first = try TestClient(port: server.port, wishes(host, version))
      _ = try first.get("/healthz")
      var wishes = wishes(later, version)
      wishes.session = first.session
      let second = try TestClient(port: server.port, wishes)
      #expect(!first.isResumed && second.isResumed == isResumed, "\(host ?? "no name"), then \(later ?? "no name")")
      #expect(try second.get("/healthz").contains("200 OK"))
    }
  }

  @Test func allPairsAreReadAgainOrNone() throws {
    let server = try SecureServer(settings)
    func shown(_ host: String) throws -> String { try TestClient(port: server.port, wishes(host)).serverName }
    #expect(try shown("a.wild.test") == "/CN=wild")
    try certificates.issue("first", for: "DNS:a.wild.test")
    try certificates.folder.write(Array("none".utf8), to: "wild.pem")
    #expect(try shown("a.wild.test") == "/CN=wild", "the former one, because the third pair cannot be used")
    #expect(server.notices.all.count == 1 && server.notices.all.first?.contains("wild.pem") == true)
    try certificates.issue("wild", for: "DNS:new.test")
    #expect(try shown("new.test") == "/CN=wild" && shown("a.wild.test") == "/CN=first")
    #expect(server.notices.all.last == "the new certificate is in use")
  }

  @Test func whatHasExpiredIsToldByItsFile() throws {
    let files = [try certificates.issue("second", days: -9 ... -1), try certificates.issue("wild", days: 2...9)]
    let notices = try SecureServer(settings).notices.all
    #expect(
      notices == [
        "the certificate \(files[0].certificate) is no longer valid; clients refuse it",
        "the certificate \(files[1].certificate) is not valid yet; clients refuse it until then",
      ])
  }

  @Test func aPairThatDoesNotFitIsNamed() throws {
    let (good, other) = (try certificates.issue("good"), try certificates.issue("other"))
    let pairs = [(good.certificate, good.key), (other.certificate, good.key)].map(TLSFiles.Pair.init)
    let error = #expect(throws: TLSError.self) { try TLSIdentity(TLSFiles(pairs)) { _ in } }
    #expect(error?.description.contains("other.pem") == true, "\(String(describing: error))")
  }

  /// A certificate with a fault is otherwise that of the name; and where a fault might come, names are chosen as well.
  @Test func faultsAreThoseOfTheName() throws {
    let server = try SecureServer(settings)
    let fault = #"{"kind":"certificate","problem":"unknownAuthority"}"#
    let answer = try server.put(
      "/admin/v1/faults", #"{"faults":[{"id":"f","fault":\#(fault),"match":{"host":"*.test"}}]}"#)
    #expect(answer.contains("200 OK"), "\(answer)")
    for (host, other) in [("second.test", "a.wild.test"), ("a.wild.test", "first.test"), ("first.test", "second.test")]
    {
      let client = try TestClient(port: server.port, wishes(host))
      #expect(client.serverName == "/CN=Rolling Road" && client.isShown(for: host) && !client.isShown(for: other))
    }
    try server.put("/admin/v1/faults", #"{"faults":[{"id":"f","fault":\#(fault),"match":{"host":"a.test"}}]}"#)
    #expect(try TestClient(port: server.port, wishes("second.test")).serverName == "/CN=second")
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func everyNameAsksForCertificatesOfClients(version: Int32) throws {
    var settings = settings
    (settings.clientAuthorities, settings.certificatesFor) = (certificates.authority, .admin)
    let server = try SecureServer(settings)
    let (own, strange) = (try certificates.issue("phone"), try TestCertificates().issue("stranger"))
    for host in ["first.test", "second.test", "a.wild.test"] {
      var wishes = wishes(host, version)
      #expect(try TestClient(port: server.port, wishes).get("/admin/v1/stats").contains("certificate_required"))
      wishes.certificate = own
      #expect(try TestClient(port: server.port, wishes).get("/admin/v1/stats").contains("200 OK"))
      wishes.certificate = strange
      #expect(throws: TestClient.Failure.self) {
        try TestClient(port: server.port, wishes).get("/admin/v1/stats")
      }
    }
  }
}

/// Two certificates for the same names, one of RSA and one of an elliptic curve.
@Suite(.timeLimit(.minutes(10))) struct KeyKindTests {
  private let certificates: TestCertificates
  private let server: SecureServer

  init() throws {
    certificates = try TestCertificates()
    let names = "DNS:both.test,DNS:localhost"
    let (folder, curve) = (certificates.folder, try certificates.issue("curve", for: names))
    let maker = try ChildProcess([
      "sh", "-c",
      "cd \(folder.path) && openssl req -x509 -newkey rsa:2048 -nodes -days 5 -subj /CN=rsa -addext subjectAltName=\(names) "
        + "-CA authority.pem -CAkey authority.key -keyout rsa.key -out rsa.pem",
    ])
    try #require(maker.exitCode() == 0)
    let other = try certificates.issue("other", for: "DNS:other.test")
    let pairs = [other, (folder.file("rsa.pem"), folder.file("rsa.key")), curve]
    server = try SecureServer(
      TLSSettings(.files(pairs.map { TLSSettings.KeyPair(certificate: $0.0, key: $0.1) })))
  }

  /// Elliptic curves are quicker; a client that does not know them gets RSA.
  @Test(arguments: [
    ("-tls1_2", "curve"), ("-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", "rsa"), ("-tls1_3", "curve"),
    ("-tls1_3 -sigalgs rsa_pss_rsae_sha256", "rsa"),
  ])
  func aClientGetsTheKindThatItKnows(flags: String, shown: String) throws {
    let client = try ChildProcess([
      "sh", "-c",
      "openssl s_client -connect 127.0.0.1:\(server.port) -servername both.test -verify_return_error "
        + "-CAfile \(certificates.authority) \(flags) </dev/null >\(certificates.folder.file("said")) 2>&1",
    ])
    #expect(client.exitCode() == 0)
    let said = String(decoding: try certificates.folder.read("said"), as: UTF8.self)
    #expect(said.contains("subject=CN = \(shown)\n"), "\(said)")
  }
}
