import FleetSimulator
import Glibc
import IngestServer
import ServerSupport
import Support
import Testing
import Threaded

@testable import CommandLine

/// HTTP/2 by ALPN: phones offer it, the server does not know it, and HAProxy in front of it does.
@Suite(.waits, .timeLimit(.minutes(10))) struct HTTP2Tests {
  private let server: DevelopmentServer

  init() throws { server = try DevelopmentServer() }

  private func run(_ words: [String]) -> CommandCall {
    CommandCall(words + ["--ca", server.authority, "--http2"], orElse: ProcessContext.live().readFile)
  }

  @Test func aServerWithoutItIsSpokenToInTheOlderVersion() {
    let call = run(["token", "phone-1", "--url", server.url])
    #expect(call.code == .ok && call.output.contains("accessToken"), "\(call.error)")
  }

  /// `docker/haproxy.cfg`, as it is shipped.
  @Test(.enabled(if: HTTP2Tests.hasProxy, "haproxy is not installed"))
  func phonesSpeakItWithHAProxyInFront() throws {
    let both = try ["data/tls/server.pem", "data/tls/server.key"].flatMap { try server.folder.read($0) }
    try server.folder.write(both, to: "both.pem")
    let settings = "CERTIFICATE=\(server.folder.file("both.pem")) ROAD=127.0.0.1:\(server.server.port)"
    // HAProxy listens on what it inherits, so that the port is one that the kernel chose.
    let listener = try ListeningSocket()
    let proxy = try ChildProcess(
      ["env"] + settings.split(separator: " ").map(String.init)
        + ["LISTEN=fd@3", "haproxy", "-db", "-f", HTTP2Tests.configuration], places: [3: listener.descriptor])
    let url = "https://localhost:\(listener.port)"
    let call = run(
      [
        "simulate", "first-drive", "--target", url + "/locations", "--mode", "lockstep", "--duration", "4m", "--quiet",
      ])
    #expect(call.code == .ok, "\(call.error)")
    #expect(run(["healthcheck", "--url", url]).code == .ok)
    let client = try LoopbackClient(port: server.server.port)
    try client.send(
      "GET /admin/v1/requests?operation=uploadLocations&limit=1000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    let requests = try client.receiveToEnd().text.lowercased()
    let count = { (text: String) in requests.split(separator: text, omittingEmptySubsequences: false).count - 1 }
    #expect(count("x-http-version: 2.0") > 0 && count("x-http-version: 2.0") == count("x-http-version: "))
    // The administration is not for those who come through the proxy.
    for path in ["/admin/v1/stats", "/ADMIN/v1/stats", "/%61dmin/v1/stats", "//admin/v1/stats", "/r/a/admin/v1/stats"] {
      let curl = try ChildProcess(["curl", "-sfk", "--path-as-is", url + path])
      #expect(curl.exitCode() == 22, "\(path)")
    }
    proxy.signal(SIGTERM)
  }

  private static let configuration =
    #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    + "/docker/haproxy.cfg"

  private static var hasProxy: Bool {
    do { return try ChildProcess(["sh", "-c", "command -v haproxy curl"]).exitCode() == 0 } catch { return false }
  }
}
