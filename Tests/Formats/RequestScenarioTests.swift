import Contract
import Testing

@testable import Formats

/// Requests as a scenario: what is written, and what a scenario cannot hold.
@Suite struct RequestScenarioTests {
  private func written(_ headers: [NameValuePair] = [], body: [UInt8] = [], status: Int = 200) -> String {
    var bytes: [UInt8] = []
    RequestScenario.append(
      at: 1_500, device: "a", method: "POST", path: "/p?q", headers: headers, body: body, status: status, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func fieldsOfTheConnectionAndSecretsAreLeftOut() {
    let fields = [
      ("Host", "x"), ("content-length", "3"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
      ("Expect", "100-continue"),
      ("Authorization", "(secret)"), ("X-A", "1"), ("x-a", "2"),
    ].map { NameValuePair($0, $1) }
    #expect(
      written(fields, body: Array("{}".utf8))
        == #"{"at":"1500ms","device":"a","method":"POST","path":"/p?q","headers":{"X-A":"1, 2"},"body":"{}","status":200}"#
    )
  }

  /// A scenario has variables in its texts.
  @Test func textsThatLookLikeVariablesAreTextsStill() {
    let text = written([NameValuePair("X-A", "$${a}")], body: Array("${HOME} $5 ${".utf8))
    #expect(text.contains(#""X-A":"$$${a}""#) && text.contains(#""body":"$${HOME} $5 $${""#), "\(text)")
  }

  @Test(arguments: [[0xFF, 0x00, 0x31], Array("a\0".utf8)])
  func aBodyThatIsNoPlainTextIsBase64(body: [UInt8]) {
    let text = written(body: body, status: 0)
    #expect(text.contains(#""bodyBase64":""#) && !text.contains(#""body":"#) && !text.contains("status"))
  }
}
