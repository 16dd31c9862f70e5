import Testing

@testable import CommandLine

@Suite struct SecretRedactionTests {
  @Test(arguments: [
    ("target.headers={Authorization:\"Bearer abc\"}", "target.headers=…"),
    ("sdk.config.authorization.accessToken=abc", "sdk.config.authorization.accessToken=…"),
    ("--set=http.headers.X-Api-Key=abc", "--set=…"), ("http://me:abc@127.0.0.1:80/up", "http://127.0.0.1:80/up"),
    ("clock.duration=\"5m\"", "clock.duration=\"5m\""), ("city-25", "city-25"),
  ])
  func secretsAreNotWrittenDown(word: String, shown: String) { #expect(SecretRedaction.removed(from: word) == shown) }
}
