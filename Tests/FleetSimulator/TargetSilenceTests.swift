import Testing
import Upload

@testable import FleetSimulator

/// What is said of a server that cannot be reached.
@Suite struct TargetSilenceTests {
  private func text(
    _ failure: TransportFailure, _ message: String, _ environment: [String: String] = [:],
    origin: String = "https://road.example"
  ) -> String {
    TargetSilence(origin: origin, failure: failure, message: message).text { environment[$0] }
  }

  private let refused = "Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server"

  @Test func aCertificateThatIsNotTrustedIsNoSilence() {
    let untrusted = text(.tls, "SSL certificate problem: self-signed certificate")
    #expect(untrusted.hasPrefix("the certificate of https://road.example is not trusted: SSL certificate problem"))
    let file = text(.tls, "error setting certificate file: /nowhere/roots.pem")
    #expect(file == "no answer from https://road.example: error setting certificate file: /nowhere/roots.pem")
  }

  @Test func thePasswordOfTheServerIsNotTold() {
    #expect(
      text(.refused, refused, origin: "http://me:secret@127.0.0.1:9") == "no answer from http://127.0.0.1:9: \(refused)"
    )
  }

  @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func aDeadProxyIsNamedWithItsVariableAndWithoutItsPassword(variable: String) {
    let told = text(.refused, refused, [variable: "http://me:secret@127.0.0.1:9/"])
    #expect(
      told
        == "no answer from https://road.example by way of the proxy http://127.0.0.1:9/, which \(variable) names: \(refused)"
    )
    #expect(text(.refused, refused, [variable: "127.0.0.1:9"]).contains("the proxy 127.0.0.1:9, which"))
  }

  @Test func aProxyThatHasNoPartInItIsNotNamed() {
    let plain = "no answer from http://127.0.0.1:9: \(refused)"
    #expect(text(.refused, refused, ["HTTPS_PROXY": "http://127.0.0.1:9"], origin: "http://127.0.0.1:9") == plain)
    let elsewhere = text(.refused, refused, ["HTTPS_PROXY": "http://proxy.example:3128"])
    #expect(elsewhere == "no answer from https://road.example: \(refused)")
    #expect(text(.refused, refused, ["HTTPS_PROXY": ""]) == elsewhere)
    #expect(
      text(.unresolvable, "Could not resolve proxy: nowhere.test", ["ALL_PROXY": "nowhere.test"]).contains("ALL_PROXY"))
  }

  @Test func aRequestThatHasFailedGetsAHintWhereThereIsOne() {
    func hint(_ failure: TransportFailure, _ message: String, _ environment: [String: String] = [:]) -> String? {
      TargetSilence(origin: "https://a.example", failure: failure, message: message).hint { environment[$0] }
    }
    #expect(hint(.tls, "SSL certificate problem: certificate has expired") == nil, "the message has its remedy")
    #expect(hint(.refused, refused, ["ALL_PROXY": "http://127.0.0.1:9"])?.contains("which ALL_PROXY names") == true)
    #expect(hint(.refused, refused) == nil)
  }
}
