import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// The header fields of a device's requests (SDK §8.1, §11.1, §20.5).
@Suite struct HeaderTests {
  private func headers(
    _ platform: DevicePlatform = .ios, _ configure: (inout Configuration) -> Void
  ) -> [NameValuePair] {
    var device = TestDevice(platform, configure)
    device.record()
    return device.sent.last?.headers ?? []
  }

  @Test(arguments: DevicePlatform.allCases)
  func aRequestSaysWhatItIsAndFromWhom(platform: DevicePlatform) {
    #expect(
      headers(platform) { _ in } == [
        NameValuePair("Content-Type", "application/json"),
        NameValuePair("User-Agent", "Test/1 (\(platform.rawValue))"),
      ])
  }

  @Test func theTokenOverridesAConfiguredAuthorization() {
    let own = JSONValue.object(["authorization": .string("Basic x"), "X-Foo": .string("BAR")])
    let with = headers {
      $0.http.headers = own
      $0.authorization.accessToken = "t"
    }
    #expect(with.dropFirst(2) == [NameValuePair("Authorization", "Bearer t"), NameValuePair("X-Foo", "BAR")])
    let without = headers { $0.http.headers = own }
    #expect(without.dropFirst(2) == [NameValuePair("authorization", "Basic x"), NameValuePair("X-Foo", "BAR")])
  }

  @Test func sharedAccessSignaturesStandAlone() {
    let fields = headers {
      $0.authorization.strategy = .sas
      $0.authorization.accessToken = "SharedAccessSignature sr=x"
    }
    #expect(fields.last == NameValuePair("Authorization", "SharedAccessSignature sr=x"))
  }

  @Test func aConfiguredFieldReplacesTheSDKsOwn() {
    let fields = headers {
      $0.http.headers = .object(["content-type": .string("text/json"), "User-Agent": .string("mine")])
    }
    #expect(fields == [NameValuePair("content-type", "text/json"), NameValuePair("User-Agent", "mine")])
  }

  /// A server would store what a shorter length leaves of a record, and its success would delete the whole one.
  @Test(arguments: ["Content-Length", "content-length", "Transfer-Encoding"])
  func theLengthOfABodyIsItsOwn(name: String) {
    #expect(
      headers { $0.http.headers = .object([name: .string("5"), "X-Bar": .string("1")]) }.dropFirst(2) == [
        NameValuePair("X-Bar", "1")
      ])
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "\u{7F}"])
  func aValueCannotWriteLinesOfItsOwn(value: String) {
    let fields = headers { $0.http.headers = .object(["X-Foo": .string(value), "X-Bar": .string("é\t")]) }
    #expect(fields.dropFirst(2) == [NameValuePair("X-Bar", "é\t")])
  }

  @Test(arguments: ["", "a b", "a:", "a\r\nb", "é"])
  func norCanAName(name: String) {
    #expect(headers { $0.http.headers = .object([name: .string("1")]) }.count == 2)
  }

  @Test(arguments: DevicePlatform.allCases)
  func aRefreshCarriesTheHeadersOfUploads(platform: DevicePlatform) {
    var device = TestDevice(platform) {
      $0.http.headers = .object(["X-Foo": .string("BAR")])
      $0.authorization.accessToken = "old"
      $0.authorization.refreshUrl = "http://server.example/refresh"
    }
    device.record()
    device.answer(401)
    #expect(
      device.sent.last?.headers == [
        NameValuePair("Content-Type", "application/x-www-form-urlencoded"),
        NameValuePair("Authorization", "Bearer old"), NameValuePair("X-Foo", "BAR"),
        NameValuePair("User-Agent", "Test/1 (\(platform.rawValue))"),
      ])
  }
}
