import COpenSSL
import IngestServer
import Support
import Testing

@testable import TLS

/// Certificates as public authorities issue them, made by OpenSSL's own program: a chain with an intermediate authority, names
/// with a wildcard, IPv6 addresses, large keys and other curves.
@Suite(.timeLimit(.minutes(10))) struct CertificateShapeTests {
  private let folder: TemporaryFolder

  /// `root.pem`, and below it `middle.pem`, which signs.
  init() throws {
    folder = try TemporaryFolder()
    try make("root", "ec -pkeyopt ec_paramgen_curve:P-256", "basicConstraints=critical,CA:TRUE", by: nil)
    try make("middle", "ec -pkeyopt ec_paramgen_curve:P-256", "basicConstraints=critical,CA:TRUE,pathlen:0", by: "root")
  }

  private func make(_ name: String, _ key: String, _ extension: String, by issuer: String?) throws {
    let signer = issuer.map { "-CA \($0).pem -CAkey \($0).key" } ?? ""
    let maker = try ChildProcess([
      "sh", "-c",
      "cd \(folder.path) && openssl req -x509 -newkey \(key) -nodes -days 5 -subj /CN=\(name) -addext '\(`extension`)' "
        + "\(signer) -keyout \(name).key -out \(name).pem",
    ])
    try #require(maker.exitCode() == 0, "openssl req -newkey \(key)")
  }

  /// Serves a certificate, with the intermediate one behind it or without.
  private func serve(_ names: String, _ key: String, hasChain: Bool = true, on address: String = "127.0.0.1:0") throws
    -> SecureServer
  {
    try make("leaf", key, "subjectAltName=\(names)", by: "middle")
    let chain = try (hasChain ? ["leaf.pem", "middle.pem"] : ["leaf.pem"]).flatMap { try folder.read($0) }
    try folder.write(chain, to: "chain.pem")
    let settings = TLSSettings(.files(certificate: folder.file("chain.pem"), key: folder.file("leaf.key")))
    return try SecureServer(settings) { $0.tls?.listen = address }
  }

  /// Nil when a client that knows the root alone takes the certificate for this host.
  private func problem(_ server: SecureServer, _ host: String, _ version: Int32 = TLS1_3_VERSION) throws -> Int? {
    var wishes = TestClient.Wishes(authority: folder.file("root.pem"))
    (wishes.host, wishes.version) = (host, version)
    do throws(TestClient.Failure) {
      let client = try TestClient(port: server.port, wishes)
      #expect(client.version == version)
      return nil
    } catch { return error.verifyResult }
  }

  @Test(arguments: [
    "ec -pkeyopt ec_paramgen_curve:P-256", "ec -pkeyopt ec_paramgen_curve:P-384", "rsa:2048", "rsa:4096", "ed25519",
  ])
  func everyUsualKeyIsServed(key: String) throws {
    let server = try serve("DNS:localhost", key)
    for version in [TLS1_2_VERSION, TLS1_3_VERSION] { #expect(try problem(server, "localhost", version) == nil) }
  }

  @Test func theIntermediateCertificateIsSentAlong() throws {
    let key = "ec -pkeyopt ec_paramgen_curve:P-256"
    let without = try serve("DNS:localhost", key, hasChain: false)
    #expect(try problem(without, "localhost") == Int(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY))
    #expect(try problem(serve("DNS:localhost", key), "localhost") == nil)
  }

  /// RFC 9525 §6.3: the wildcard is one whole label.
  @Test func aWildcardIsForOneLabel() throws {
    let server = try serve("DNS:*.phones.test", "ec -pkeyopt ec_paramgen_curve:P-256")
    #expect(try problem(server, "phone-1.phones.test") == nil)
    for host in ["phones.test", "a.phone-1.phones.test", "localhost"] {
      #expect(try problem(server, host) == Int(X509_V_ERR_HOSTNAME_MISMATCH))
    }
  }

  @Test func anAddressOfIPv6IsAName() throws {
    let server = try serve("IP:::1", "ec -pkeyopt ec_paramgen_curve:P-256", on: "[::1]:0")
    #expect(try problem(server, "::1") == nil)
    #expect(server.server.secureURL == "https://[::1]:\(server.port)")
    let other = try serve("IP:fd00::9", "ec -pkeyopt ec_paramgen_curve:P-256", on: "[::1]:0")
    #expect(try problem(other, "::1") == Int(X509_V_ERR_IP_ADDRESS_MISMATCH))
  }
}
