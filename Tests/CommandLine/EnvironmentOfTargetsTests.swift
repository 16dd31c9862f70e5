import Support
import Testing
import Threaded

/// What curl's users set in their environment counts for https targets too, and for plain ones it does not.
@Suite(.waits, .timeLimit(.minutes(10))) struct EnvironmentOfTargetsTests {
  /// Runs the program with these variables until it ends.
  private func simulate(_ target: String, _ variables: [String]) throws -> String {
    let words = [
      BuiltProgram.path(of: "rollingroad"), "simulate", "first-drive", "--quiet", "--mode", "accelerated", "--factor",
      "1000", "--duration", "1m", "--target", target, "--preset", "traccar",
    ]
    let unset = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY"]
    let child = try SpokenChild(["env"] + unset.flatMap { ["-u", $0] } + variables + words)
    _ = child.finish()
    return child.output
  }

  @Test(arguments: ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
  func anHTTPSTargetIsReachedThroughTheProxy(variable: String) throws {
    let proxy = try BareServer { _ in .close(Array("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n".utf8)) }
    _ = try simulate("https://rollingroad.test/locations", ["\(variable)=http://127.0.0.1:\(proxy.port)"])
    #expect(proxy.requests.first?.lines.first == "CONNECT rollingroad.test:443 HTTP/1.1")
  }

  @Test func noProxyAndPlainTargetsGoStraight() throws {
    let proxy = try BareServer { _ in .ok() }
    let server = try BareServer { _ in .ok() }
    let variables = ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map { "\($0)=http://127.0.0.1:\(proxy.port)" }
    _ = try simulate(server.url, variables)
    // Refused at once by a port that is closed again, unless the proxy were asked.
    let closed = try BareServer { _ in .ok() }.port
    _ = try simulate("https://127.0.0.1:\(closed)/", variables + ["NO_PROXY=127.0.0.1"])
    #expect(proxy.opened == 0 && server.requests.isEmpty == false)
  }

  @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
  func theFileOfRootsIsTheNamedOne(variable: String) throws {
    let server = try BareServer { _ in .ok() }
    let output = try simulate("https://127.0.0.1:\(server.port)/", ["\(variable)=/nowhere/roots.pem"])
    #expect(output.contains("/nowhere/roots.pem"), "\(output)")
  }
}
