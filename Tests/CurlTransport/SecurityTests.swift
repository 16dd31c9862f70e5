import Base
import Glibc
import Support
import Testing
import Upload

@testable import CurlTransport

@Suite(.timeLimit(.minutes(10))) struct SecurityTests {
  private func configuration(_ server: SecureServer) -> TransportConfiguration {
    var configuration = TransportConfiguration()
    configuration.certificateAuthorities = server.certificate
    return configuration
  }

  @Test func aCertificateOfAnOwnAuthorityIsBelieved() async throws {
    let server = try SecureServer()
    let post = try Post(.libcurl, configuration(server))
    for device in 0..<3 {
      let completion = await post.send("https://localhost:\(server.port)/", device: device, method: "GET")
      #expect(completion.answer?.status == 200, "\(completion)")
      let timings = completion.timings
      #expect(timings.connected < timings.secured && timings.secured < timings.firstByte)
    }
  }

  @Test func aCertificateThatTheSystemsRootsDoNotKnowIsRefused() async throws {
    let server = try SecureServer()
    var configuration = TransportConfiguration()
    configuration.trustSetting = "--ca FILE"
    let post = try Post(.libcurl, configuration)
    let completion = await post.send("https://localhost:\(server.port)/", method: "GET")
    #expect(completion.failure == .tls)
    #expect(completion.message?.contains("self") == true, "libcurl's own words: \(completion)")
    #expect(completion.message?.hasSuffix("name the authority that signed it with --ca FILE") == true)
  }

  /// The server closes behind each answer.
  @Test func aDeviceResumesItsOwnSessionAndNoOther() async throws {
    let server = try SecureServer()
    let post = try Post(.libcurl, configuration(server))
    var areResumed: [Bool] = []
    for device in [0, 0, 1, 0, 1] {
      let completion = await post.send("https://localhost:\(server.port)/", device: device, method: "GET")
      #expect(completion.timings.newConnections == 1 && completion.answer?.status == 200, "\(completion)")
      areResumed.append(completion.timings.isResumed)
    }
    #expect(areResumed == [false, true, false, true, true])
  }

  @Test func aFreshConnectionResumesNothing() async throws {
    let server = try SecureServer()
    var configuration = configuration(server)
    configuration.connections = .fresh
    let post = try Post(.libcurl, configuration)
    for _ in 0..<2 {
      let completion = await post.send("https://localhost:\(server.port)/", method: "GET")
      #expect(completion.answer?.status == 200 && !completion.timings.isResumed, "\(completion)")
    }
  }

  @Test func aCertificateForAnotherNameIsRefused() async throws {
    let server = try SecureServer()
    var configuration = configuration(server)
    configuration.trustSetting = "--ca FILE"
    let post = try Post(.libcurl, configuration)
    let completion = await post.send("https://127.0.0.1:\(server.port)/", method: "GET")
    #expect(completion.failure == .tls)
    #expect(completion.message?.contains("use a name that the certificate has") == true, "\(completion)")
  }

  /// By the results of OpenSSL (X509_STORE_CTX_get_error(3)).
  @Test func eachRefusalHasItsOwnRemedy() {
    let remedies = [1, 9, 10, 18, 19, 20, 21, 23].map { result in
      CertificateProblem(verifyResult: result)?.remedy(trustSetting: "--ca FILE")
    }
    #expect(Set(remedies.prefix(4)).count == 4 && remedies.last == .some(nil))
    for remedy in remedies[3...6] { #expect(remedy == "name the authority that signed it with --ca FILE") }
    #expect(CertificateProblem(verifyResult: 20)?.remedy(trustSetting: nil) == nil)
  }

  @Test func aHandshakeWithoutAnAnswerTakesNoLongerThanTheRequestMay() async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post()
    #expect(await post.send("https://127.0.0.1:\(server.port)/", timeout: .milliseconds(200)).failure == .timeout)
  }

  @Test func anAuthorityThatIsNoFileIsSaidSo() async throws {
    let server = try SecureServer()
    var configuration = configuration(server)
    configuration.certificateAuthorities = "/nowhere/at/all.pem"
    let completion = try await Post(.libcurl, configuration).send("https://localhost:\(server.port)/", method: "GET")
    #expect(completion.failure == .tls)
    #expect(completion.message?.contains("/nowhere/at/all.pem") == true)
  }

  /// The server chooses among what it was offered (RFC 7301 §3.2).
  @Test func whereTheServerKnowsNoHTTP2TheOlderVersionIsSpoken() async throws {
    let server = try SecureServer()
    var configuration = configuration(server)
    configuration.httpVersion = .http2
    let completion = try await Post(.libcurl, configuration).send("https://localhost:\(server.port)/", method: "GET")
    #expect(completion.answer?.status == 200)
  }

  /// The rest of an answer may be in the TLS library while the socket is empty (`SSL_pending`, OpenSSL). HAProxy puts several frames
  /// of HTTP/2 into one record of TLS.
  @Test(.enabled(if: SecurityTests.hasProxy, "haproxy is not installed"), arguments: [12_400, 14_550, 30_600, 46_200])
  func anAnswerOverHTTP2ComesWhole(length: Int) async throws {
    let server = try SecureServer()
    let backend = try BareServer { _ in .ok(String(repeating: "x", count: length)) }
    let listener = try ListeningSocket()
    let folder = try TemporaryFolder()
    let both = folder.file("both.pem")
    let joined = try ChildProcess(["sh", "-c", "cat \(server.certificate) \(server.key) > \(both)"])
    #expect(joined.exitCode() == 0)
    let settings = """
      defaults
        mode http
        timeout connect 10s
        timeout client 60s
        timeout server 60s
      frontend phones
        bind fd@3 ssl crt \(both) alpn h2
        default_backend road
      backend road
        server road 127.0.0.1:\(backend.port)

      """
    try folder.write(Array(settings.utf8), to: "haproxy.cfg")
    let proxy = try ChildProcess(
      ["haproxy", "-db", "-f", folder.file("haproxy.cfg")], places: [3: listener.descriptor])
    var configuration = configuration(server)
    configuration.httpVersion = .http2
    let completion = try await Post(.libcurl, configuration).send(
      "https://localhost:\(listener.port)/", method: "GET", timeout: .seconds(20))
    #expect(completion.answer?.body.count == length, "\(completion)")
    proxy.signal(SIGTERM)
  }

  private static var hasProxy: Bool {
    do { return try ChildProcess(["sh", "-c", "command -v haproxy"]).exitCode() == 0 } catch { return false }
  }
}
