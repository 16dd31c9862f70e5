import COpenSSL
import Glibc
import IngestServer
import Support
import Testing

@testable import TLS

/// Where the server's certificate comes from, and what clients show.
@Suite(.timeLimit(.minutes(10))) struct CertificateTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates() }

  private func trusting(_ authority: String? = nil) -> TestClient.Wishes {
    TestClient.Wishes(authority: authority ?? certificates.authority)
  }

  @Test func changedFilesCountFromTheNextClientOn() throws {
    let server = try SecureServer(certificates.issue("server"))
    let first = try TestClient(port: server.port, trusting())
    #expect(first.serverName == "/CN=server")
    try replace("server", by: "second")
    #expect(try TestClient(port: server.port, trusting()).serverName == "/CN=second")
    #expect(try first.get("/healthz").contains("200 OK"), "who is connected stays so")
    #expect(server.notices.all == ["the new certificate is in use"])
  }

  @Test func everyHandshakeIsMadeWhileFilesChange() async throws {
    var settings = TLSSettings(.files(certificate: "", key: ""))
    let files = try certificates.issue("server")
    settings.certificate = .files(certificate: files.certificate, key: files.key)
    let server = try SecureServer(settings) { $0.loops = 3 }
    let (port, authority) = (server.port, certificates.authority)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let wishes = TestClient.Wishes(authority: authority)
          for _ in 0..<10 { _ = try TestClient(port: port, wishes).get("/healthz") }
        }
      }
      for number in 0..<5 { try replace("server", by: "server-\(number)") }
      try await group.waitForAll()
    }
    #expect(try TestClient(port: port, trusting()).serverName == "/CN=server-4")
  }

  @Test func badNewFilesChangeNothing() throws {
    let server = try SecureServer(certificates.issue("server"))
    try certificates.folder.write(Array("none".utf8), to: "server.pem")
    for _ in 0..<2 {
      #expect(try TestClient(port: server.port, trusting()).serverName == "/CN=server")
    }
    #expect(server.notices.all.count == 1, "said once: \(server.notices.all)")
    #expect(server.notices.all.first?.contains("server.pem") == true)
    try certificates.issue("server")
    _ = try TestClient(port: server.port, trusting())
    #expect(server.notices.all.last == "the new certificate is in use")
  }

  @Test func filesThatCannotBeUsedAreNamed() throws {
    let good = try certificates.issue("server")
    let other = try certificates.issue("other")
    for (files, word) in [
      ((good.certificate, other.key), "other.key"), (("/nowhere.pem", good.key), "/nowhere.pem"),
      ((good.key, good.key), "server.key"),
    ] {
      let error = #expect(throws: TLSError.self) {
        try TLSIdentity(TLSFiles(certificate: files.0, key: files.1)) { _ in }
      }
      #expect(error?.description.contains(word) == true, "\(String(describing: error))")
    }
  }

  @Test func anExpiredCertificateIsServedAndSaid() throws {
    let files = try certificates.issue("server", days: -9 ... -1)
    let server = try SecureServer(files)
    #expect(server.notices.all == ["the certificate \(files.certificate) is no longer valid; clients refuse it"])
    #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port, trusting()) }
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="refused_by_client"}"#) == 1)
  }

  @Test(arguments: [CertificateScope.admin, .uploads, .all])
  func whatNeedsACertificateIsRefusedWithout(scope: CertificateScope) throws {
    let files = try certificates.issue("server")
    var settings = TLSSettings(.files(certificate: files.certificate, key: files.key))
    (settings.clientAuthorities, settings.certificatesFor) = (certificates.authority, scope)
    let server = try SecureServer(settings)
    var wishes = trusting()
    for hasCertificate in [false, true] {
      let client = try TestClient(port: server.port, wishes)
      #expect(try client.get("/admin/v1/stats").contains("200 OK") == (hasCertificate || scope == .uploads))
      try client.send("POST /locations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
      let answer = try client.receive(until: "}")
      #expect(answer.contains("certificate_required") == (!hasCertificate && scope != .admin))
      #expect(try client.get("/healthz").contains("200 OK"))
      wishes.certificate = try certificates.issue("phone")
    }
  }

  /// With TLS 1.3 the client has done when the server looks at its certificate, and sends its request along.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func aClientWithACertificateOfAnotherAuthorityIsToldSo(version: Int32) throws {
    let files = try certificates.issue("server")
    var settings = TLSSettings(.files(certificate: files.certificate, key: files.key))
    settings.clientAuthorities = certificates.authority
    let server = try SecureServer(settings)
    var wishes = trusting()
    wishes.version = version
    let strangers = try TestCertificates()
    wishes.certificate = try strangers.issue("stranger")
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(wishes)
    let failure = #expect(throws: TestClient.Failure.self) {
      try client.handshake(over: raw)
      try client.write(String(repeating: "x", count: 100_000))
      try raw.send(client.takeOutput())
      client.take(try raw.receiveSome(atMost: 65_536))
      _ = try client.read()
    }
    #expect(failure?.description.contains("unknown ca") == true, "\(String(describing: failure))")
    #expect(try raw.receiveToEnd().ending == .closed)
    #expect(try server.metric(#"rollingroad_tls_handshakes_failed_total{cause="client_certificate"}"#) == 1)
  }

  /// Without a pause in which there is no file, as tools for certificates do it.
  private func replace(_ name: String, by other: String) throws {
    try certificates.issue(other)
    for ending in [".key", ".pem"] {
      let (from, to) = (certificates.folder.file(other + ending), certificates.folder.file(name + ending))
      guard unsafe rename(from, to) == 0 else { throw TestCertificates.Failure(what: to) }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct DevelopmentAuthorityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func prepare(_ names: String...) throws -> DevelopmentAuthority {
    let authority = DevelopmentAuthority(in: folder.file("tls"), names: names)
    try authority.prepare()
    return authority
  }

  @Test func itsCertificateIsBelievedByThoseWhoTrustIt() throws {
    let server = try SecureServer(TLSSettings(.development(names: []))) { $0.data = folder.file("data") }
    #expect(server.notices.all.count == 1 && server.notices.all[0].contains("rollingroad trust"))
    let client = try TestClient(
      port: server.port, TestClient.Wishes(authority: folder.file("data/tls/authority.pem")))
    #expect(try client.get("/healthz").contains("200 OK"))
  }

  /// The files are those of another authority, because the product's own makes none that end so soon.
  @Test func aCertificateThatIsAboutToEndIsMadeAnewWhileServing() throws {
    let certificates = try TestCertificates()
    for path in ["data", "data/tls"] { try #require(unsafe mkdir(folder.file(path), 0o700) == 0) }
    func take(_ names: String...) throws {
      for name in names { try folder.write(try certificates.folder.read(name), to: "data/tls/" + name) }
    }
    try take("authority.key", "authority.pem")
    let server = try SecureServer(TLSSettings(.development(names: []))) { $0.data = folder.file("data") }
    try certificates.issue("server", days: -1...20)
    try take("server.key", "server.pem")
    let names = try (0..<2).map { _ in
      try TestClient(port: server.port, TestClient.Wishes(authority: certificates.authority)).serverName
    }
    #expect(names == ["/CN=server", "/CN=Rolling Road"])
    #expect(server.notices.all == ["the new certificate is in use", "the new certificate is in use"])
  }

  @Test func filesAreMadeOnceAndKeysArePrivate() throws {
    _ = try prepare("phone.test", "192.168.0.9", "fd00::9", "*.wild.test")
    let names = ["authority.pem", "authority.key", "server.pem", "server.key"]
    let first = try names.map { try folder.read("tls/" + $0) }
    _ = try prepare("phone.test", "fd00::9", "*.wild.test")
    #expect(try names.map { try folder.read("tls/" + $0) } == first)
    for name in ["authority.key", "server.key"] {
      var status = stat()
      #expect(unsafe stat(folder.file("tls/" + name), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    _ = try prepare("new.test")
    let second = try names.map { try folder.read("tls/" + $0) }
    #expect(Array(second[..<2]) == Array(first[..<2]) && second[2] != first[2], "a new name, the same authority")
  }

  /// A crash between the two files leaves a key that is not the certificate's.
  @Test func aKeyOfAnotherCertificateIsMadeAgain() throws {
    let authority = try prepare()
    try folder.write(try folder.read("tls/authority.key"), to: "tls/server.key")
    try authority.prepare()
    #expect(throws: Never.self) { try TLSIdentity(authority.files) { _ in } }
  }

  /// Made anew, the authority would not be the one that phones trust.
  @Test(arguments: ["authority.pem", "authority.key"])
  func halfAnAuthorityIsNotMadeAnew(name: String) throws {
    let authority = try prepare()
    try #require(unsafe unlink(folder.file("tls/" + name)) == 0)
    let error = #expect(throws: TLSError.self) { try authority.prepare() }
    for name in ["authority.pem", "authority.key"] { #expect(error?.description.contains(name) == true) }
  }

  @Test func anAuthorityWhoseKeyIsAnotherIsNotUsed() throws {
    let authority = try prepare()
    try folder.write(try folder.read("tls/server.key"), to: "tls/authority.key")
    let error = #expect(throws: TLSError.self) { try authority.prepare() }
    #expect(error?.description.contains("is not the key of") == true)
  }

  @Test func aKeyThatOthersCanReadIsRefused() throws {
    let authority = try prepare()
    try #require(unsafe chmod(folder.file("tls/authority.key"), 0o640) == 0)
    let error = #expect(throws: TLSError.self) { try authority.prepare() }
    #expect(error?.description.contains("chmod 600") == true)
  }

  /// What a crash has left may be open to all.
  @Test func aKeyIsPrivateWhateverLiesInItsPlace() throws {
    try #require(unsafe mkdir(folder.file("tls"), 0o700) == 0)
    try folder.write([], to: "tls/authority.key.new")
    try #require(unsafe chmod(folder.file("tls/authority.key.new"), 0o644) == 0)
    let authority = try prepare()
    #expect(try !authority.prepare(), "the key is accepted")
  }

  @Test func whatCannotBeANameIsRefused() {
    for name in ["", "a,b", "DNS:x", "a b", "ü.test"] { #expect(DevelopmentAuthority.problem(of: name) != nil) }
    for name in ["a.test", "*.a.test", "10.0.0.1", "fe80::1"] { #expect(DevelopmentAuthority.problem(of: name) == nil) }
  }

  @Test func profilesCarryTheAuthority() throws {
    #expect(try DevelopmentAuthority(in: folder.file("none"), names: []).writeTrustFiles() == nil)
    let authority = try prepare()
    let fingerprint = try #require(try authority.writeTrustFiles())
    #expect(fingerprint.split(separator: ":").count == 32)
    let pem = String(decoding: try folder.read("tls/authority.pem"), as: UTF8.self)
    let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    let profile = String(decoding: try folder.read("tls/rollingroad.mobileconfig"), as: UTF8.self)
    #expect(profile.contains("<data>\(base64)</data>") && profile.contains("com.apple.security.root"))
    #expect(try folder.read("tls/network_security_config.xml").count > 100)
  }
}
